-- :checkhealth brv
local M = {}

-- The names before Neovim 0.10 begin with report_.
local function say(kind, text)
  local health = vim.health or require('health')
  local report = health[kind] or health['report_' .. kind]
  report(text)
end

local function clients()
  local found = {}
  for _, client in pairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
    if client.name == require('brv').config.name then
      table.insert(found, client)
    end
  end
  return found
end

-- The program of a running server, else that which would be started.
local function program(running)
  if running[1] then
    return running[1].config.cmd[1]
  end
  local config = vim.lsp.config and vim.lsp.config.brv or require('brv').config
  return config.cmd[1]
end

-- What the server says of its folder.
local function folder(client)
  local root = client.config.root_dir
  local request = { command = 'brv.status', arguments = { { uri = vim.uri_from_fname(root) } } }
  local status = require('brv').call(client, 'workspace/executeCommand', request)
  if not status then
    say('warn', root .. ' has no readable context tree; `brv-lsp init` makes one')
    return
  end
  say('ok', string.format('%s has a context tree: %d entries, %d errors, %d warnings', root, status.entries, status.errors, status.warnings))
  if status.dreams then
    say('info', 'dreams: ' .. status.dreams.line)
  end
  if status.trusted then
    say('ok', 'the folder is trusted')
  else
    say('info', 'the folder is not trusted: ' .. (status.untrusted or '') .. '; see :help :BrvTrust')
  end
end

function M.check()
  (vim.health and vim.health.start or require('health').report_start)('brv')
  local running = clients()
  local path = program(running)
  if vim.fn.executable(path) == 0 then
    say('error', path .. ' is not an executable program; put brv-lsp on your PATH, or set cmd')
    return
  end
  say('ok', vim.fn.exepath(path) .. ': ' .. vim.trim(vim.fn.system({ path, 'version' })))
  if #running == 0 then
    say('warn', 'no server is running; open a file of a folder that has .brv or .git')
  end
  for _, client in ipairs(running) do
    folder(client)
  end
end

return M
