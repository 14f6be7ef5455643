-- For vim.lsp.enable('brv'), Neovim 0.11 and newer. Change it with vim.lsp.config('brv', { … }).
return vim.tbl_extend('error', require('brv').config, {
  capabilities = {
    -- Neovim makes the file of an annotated edit before it asks whether to apply the edit,
    -- so that declining leaves an empty entry. Without this the server asks first.
    textDocument = { codeAction = { honorsChangeAnnotations = false } },
  },
})
