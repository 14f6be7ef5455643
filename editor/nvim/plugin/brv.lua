vim.api.nvim_create_user_command('BrvAsk', function(command)
  require('brv').ask(command.args)
end, { nargs = '+', desc = 'Ask the context tree a question' })

vim.api.nvim_create_user_command('BrvPack', function(command)
  local brv = require('brv')
  brv.pack(command.args, command.count > 0 and command.count or nil, command.bang and brv.yank or nil)
end, { nargs = '+', count = 0, bang = true, desc = 'Pack context for a task; a count is the budget of tokens' })

vim.api.nvim_create_user_command('BrvPropose', function(command)
  require('brv').propose(command.fargs, command.range > 0 and { command.line1, command.line2 } or nil)
end, { nargs = '*', range = true, complete = 'file', desc = 'Draft entries from files, the given lines, or this file; they wait for :BrvReview' })

vim.api.nvim_create_user_command('BrvReview', function(command)
  require('brv').review(unpack(command.fargs))
end, {
  nargs = '*',
  complete = function()
    return { 'approve', 'reject' }
  end,
  desc = 'Show waiting changes; approve or reject a batch, or some of it',
})

vim.api.nvim_create_user_command('BrvDream', function(command)
  require('brv').dream(command.args ~= '' and command.args or nil, command.bang)
end, {
  nargs = '?',
  bang = true,
  complete = function()
    return { 'undo' }
  end,
  desc = 'Maintain the context tree: merge, link, archive; with ! also soon after the last time; `undo` undoes it',
})

vim.api.nvim_create_user_command('BrvTrust', function()
  require('brv').trust()
end, { desc = 'Let the server read git\'s history of this folder' })

local group = vim.api.nvim_create_augroup('brv_documents', { clear = true })

local moments = { 'BufEnter', 'BufWritePost', 'InsertLeave', 'FocusGained' }
if vim.fn.exists('##LspAttach') == 1 then -- from Neovim 0.8 on
  table.insert(moments, 'LspAttach')
end
vim.api.nvim_create_autocmd(moments, {
  group = group,
  callback = function(event)
    local buf = event.event == 'FocusGained' and vim.api.nvim_get_current_buf() or event.buf -- which is none in particular
    if vim.bo[buf].buftype == '' then
      require('brv').mark(buf)
    end
  end,
})

vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = { 'brv://pack/*', 'brv://answer/*', 'brv://diff/*', 'brv://review/*' },
  callback = function(event)
    require('brv').read(event.buf, event.match)
  end,
})

vim.api.nvim_create_user_command('Brv', function(command)
  require('brv').command(command.fargs, command)
end, {
  nargs = '*',
  range = true,
  bang = true,
  complete = function(lead, line)
    return require('brv').complete(lead, line)
  end,
  desc = 'Run a brv action by name; without a name, choose from a list',
})
