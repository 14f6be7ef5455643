-- Questions: what was found at once, and in its place the answer of a model where one is asked.
local c = require('brv.client')
local entry = require('brv.entry')
local M = {}

local pending = {} -- questions without their answer, by the token under which what was found is told
local asked = 0

--- What the server tells under a token of ours; false: it is none.
function M.part(token, value)
  if pending[token] then
    pending[token].found(value)
  end
  return pending[token] ~= nil
end

-- One of an answer's sources that stands in the cursor's line, as path:line in the list, below a passage's title or below
-- the answer, opens in the window that was left. Other paths that the text names are the text's: they are not followed.
local function open_source(client, sources)
  local text = vim.api.nvim_get_current_line()
  local path, line = text:match('^%- (.-):(%d+)%f[%D]')
  if not path then
    path, line = text:match('^   `(.-):(%d+)%f[%D]')
  end
  if not path then
    path, line = text:match('^Source: (.-):(%d+)%f[%D]')
  end
  for _, source in ipairs(sources) do
    if source.filePath == path or source.path == path then
      return c.open(client, source.filePath, tonumber(line))
    end
  end
  c.say('this line has no source; the sources are listed below the answer')
end

-- The document of an answer; what is said of it stands under the question.
local function page(text, answer, notes)
  local lines = { '# ' .. text, '' }
  for _, note in ipairs(notes) do
    vim.list_extend(lines, { '> ' .. note:gsub('[\r\n]+', ' '), '' })
  end
  vim.list_extend(lines, { answer.outOfDomain and c.own(answer.markdown) or answer.markdown, '' })
  if #answer.sources > 0 then
    vim.list_extend(lines, { answer.outOfDomain and '## Nearest' or '## Sources', '' })
  end
  for _, source in ipairs(answer.sources) do
    local stale = source.marks and ' — ' .. table.concat(source.marks, '; ') or ''
    table.insert(lines, string.format('- %s:%d %s%s', source.filePath, source.line, source.title, stale))
  end
  return table.concat(lines, '\n')
end

--- Asks the context tree a question and opens the answer.
---@param text string
function M.ask(text)
  c.with(function(client, attached)
    asked = asked + 1
    local token = 'brv-ask-' .. asked
    local question, buf, known = {}, nil, nil -- buf: false once the user closed it
    local function show(answer, notes)
      known = answer
      if buf == nil then
        buf = c.show(text, page(text, answer, notes))
        local function open()
          open_source(client, known.sources)
        end
        c.keys(buf, {
          gf = { 'Open the source under the cursor', open },
          ['<CR>'] = { 'Open the source under the cursor', open },
          c = { 'Write down what you found out', entry.curate },
          f = { 'Ask a question that follows', function()
            M.follow(text)
          end },
          q = { 'Cancel the question, or close its answer', function()
            if not question.cancel() then
              vim.cmd('close')
            end
          end },
        })
        vim.api.nvim_create_autocmd('BufWipeout', { buffer = buf, once = true, callback = function()
          buf = false
          question.cancel()
        end })
      elseif buf then
        c.fill(buf, page(text, answer, notes))
      end
    end
    function question.found(answer)
      show(answer, { 'A model is asked about this. Its answer comes here if it passes the checks; q cancels.' })
    end
    function question.cancel()
      local was = pending[token]
      pending[token] = nil
      if was then
        c.cancel(client, question.id)
        if buf then
          show(known, { 'Cancelled: this is what was found.' })
        end
      end
      return was ~= nil
    end
    local function unanswered()
      pending[token] = nil
      if buf then
        show(known, { 'The model gave no answer.' })
      end
    end
    pending[token] = question
    local params = { text = text, uri = attached and vim.uri_from_bufnr(0) or vim.uri_from_fname(client.config.root_dir), partialResultToken = token }
    question.id = c.request(client, 'brv/query', params, function(answer)
      pending[token] = nil
      local notes = { answer.note }
      if answer.outOfDomain then
        table.insert(notes, 1, 'This is not covered. When you know the answer, write it down for the next person: c here, or :Brv curate at the code.')
        c.warn('not covered: ' .. text)
      end
      if (answer.tokensIn or 0) > 0 then
        table.insert(notes, 1, string.format('%s: %d tokens in, %d out', answer.model or 'model', answer.tokensIn, answer.tokensOut or 0))
      end
      show(answer, notes)
    end, unanswered)
  end)
end

--- Asks again, with the question before as the beginning.
function M.follow(text)
  vim.ui.input({ prompt = 'Follow up: ', default = text:gsub('[?.!%s]+$', '') .. ', ' }, function(more)
    if more and more ~= '' then
      M.ask(more)
    end
  end)
end

--- Cancels what the server is asked; what was found for a question stays.
function M.cancel()
  local none = true
  for _, question in pairs(vim.tbl_extend('force', {}, pending)) do
    none = not question.cancel() and none
  end
  for _, client in ipairs(c.all()) do
    for id, request in pairs(client.requests) do
      if request.type == 'pending' and (vim.startswith(request.method, 'brv/') or request.method == 'workspace/executeCommand') then
        c.cancel(client, id)
        none = false
      end
    end
  end
  c.say(none and 'nothing is running' or 'cancelled')
end

return M
