---@brief
---
--- <<.Homepage>>
---
--- <<.Short>>
---@type vim.lsp.Config
return {
  cmd = { 'brv-lsp' },
  filetypes = { 'markdown' },
  root_markers = { '.brv', '.git' },
}
