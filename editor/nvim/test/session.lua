-- One session with the real server, in any Neovim from 0.7.2 on: through the commands that
-- a user has, looking at the windows and buffers that a user sees. Run by run.sh.
local rotation = '.brv/context-tree/authentication/tokens/refresh_rotation.md'
local access = '.brv/context-tree/authentication/tokens/access_tokens.md'
local migrations = '.brv/context-tree/database/migrations/online_migrations.md'
local modern = vim.fn.has('nvim-0.11') == 1
local patience = 20000

local model_answers -- what is on the screen -> its answer

local function check(claim, what)
  if not claim then
    error(what, 2)
  end
end

-- Waits until probe returns something, and returns it.
local function eventually(what, probe)
  local value
  vim.wait(patience, function()
    value = probe()
    return value
  end, 10)
  check(value, what .. ': not within ' .. patience .. ' ms')
  return value
end

-- Waits until the server has answered everything. A command's answer comes after what the
-- server has the editor do for it, such as showing the entry that it wrote: whoever goes on
-- before has the window taken away.
local function settle()
  eventually('all answers', function()
    for _, client in pairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
      if next(client.requests) then
        return false
      end
    end
    return true
  end)
end

local function text_of(buf)
  return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
end

local function contains(text, part)
  return text:find(part, 1, true) ~= nil
end

local function buffer_is(path)
  local name = vim.api.nvim_buf_get_name(0)
  return name:sub(-#path) == path
end

-- Opens a file with the cursor before the last letters of the first place that has text.
local function go(path, text)
  vim.cmd('edit ' .. path)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local column = line:find(text, 1, true)
    if column then
      vim.api.nvim_win_set_cursor(0, { row, column + #text - 4 })
      return row
    end
  end
  error(path .. ' has no ' .. text)
end

-- Asks for the hover until a floating window has the expected text: the first may come
-- before the server has read the folder.
local function hover(expected)
  return eventually('hover with ' .. expected, function()
    vim.lsp.buf.hover()
    local seen
    vim.wait(500, function()
      for _, window in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_get_config(window).relative ~= '' then
          seen = text_of(vim.api.nvim_win_get_buf(window))
          vim.api.nvim_win_close(window, true)
          return true
        end
      end
    end, 10)
    return seen and contains(seen, expected) and seen
  end)
end

-- Without those that the server generates, which come when it has the time.
local function entries()
  return vim.tbl_filter(function(path)
    return not vim.endswith(path, '/_index.md')
  end, vim.fn.globpath('.brv/context-tree', '**/*.md', false, true))
end

-- Chooses the code action for two lines, and then answers the question of the server.
local function curate(answer)
  local asked
  local function choose(items, options, done)
    for index, item in ipairs(items) do
      local action = item.action or item[2] or item
      if action.title == 'Write down what the next person should know' or action.title == answer then
        asked = asked or action.title == answer and options.prompt
        return done(item, index)
      end
    end
    done(nil)
  end
  vim.ui.select = choose
  vim.fn.inputlist = function(lines) -- how old versions ask
    asked = table.concat(lines, '\n')
    return answer == 'Write' and 1 or 2
  end
  vim.fn.confirm = function()
    error('Neovim asks by itself, after it has created the file')
  end
  local row = go('src/auth/tokens.ts', 'await revokeFamily')
  local start, stop = { row, 0 }, { row + 1, 0 }
  if vim.fn.has('nvim-0.8') == 1 then
    vim.lsp.buf.code_action({ range = { start = start, ['end'] = stop } })
  else
    vim.lsp.buf.range_code_action(nil, start, stop)
  end
  local question = eventually('the question', function()
    return asked
  end)
  settle()
  return question
end

-- What vim.notify says from now on, and a function that ends this.
local function hear()
  local said, notify = {}, vim.notify
  vim.notify = function(message)
    table.insert(said, message)
  end
  return function()
    return table.concat(said, '\n')
  end, function()
    vim.notify = notify
  end
end

-- Chooses what is offered by one of the beginnings of its text; the result says what was offered at last.
local function choose(...)
  local beginnings, offered = { ... }, nil
  vim.ui.select = function(items, options, done)
    offered = {}
    local chosen
    for index, item in ipairs(items) do
      local action = item.action or item[2] or item
      local title = type(action) == 'table' and action.title
      offered[index] = options.format_item and options.format_item(item) or title or item
      for _, beginning in ipairs(beginnings) do
        chosen = chosen or vim.startswith(title or offered[index], beginning) and index or nil
      end
    end
    if chosen then
      done(items[chosen], chosen)
    end
  end
  return function()
    return table.concat(offered or {}, '\n')
  end
end

-- What stands at the ends of this buffer's lines.
local function marks()
  local all = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces().brv, 0, -1, { details = true })) do
    table.insert(all, mark[4].virt_text[1][1])
  end
  return table.concat(all, '\n')
end

-- As a user who comes back from a terminal: nobody tells the server of other changes on disk.
local function back(what, holds)
  eventually(what, function()
    vim.cmd('doautocmd FocusGained')
    vim.wait(600, holds, 10)
    return holds()
  end)
end

local tests = {
  {
    'the server starts by itself',
    function()
      -- The model that is asked once the folder is trusted: it waits until the user has seen what was found.
      require('brv').config.handlers['brv/model/complete'] = function()
        if not model_answers then
          return vim.NIL
        end
        vim.wait(patience, function()
          return contains(text_of(0), 'A model is asked')
        end, 10)
        return model_answers(text_of(0))
      end
      local opts = { cmd = { vim.env.BRV_SERVER }, init_options = { editorModel = true }, settings = { brv = { model = { provider = 'editor' } } } }
      if modern then
        vim.lsp.config('brv', opts)
        vim.lsp.enable('brv')
      else
        require('brv').start(opts)
      end
      vim.cmd('edit ' .. rotation)
      local client = eventually('a client', function()
        for _, client in pairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
          return client.initialized and client
        end
      end)
      check(client.config.root_dir == vim.loop.cwd(), 'root is ' .. tostring(client.config.root_dir))
    end,
  },
  {
    'hover on a relation shows the entry it leads to',
    function()
      go(rotation, '@authentication/tokens/access_tokens.md')
      check(contains(hover('Access tokens'), 'Short-lived RS256 tokens'), 'no summary')
    end,
  },
  {
    'definition of a relation after non-ASCII text opens the entry',
    function()
      go(access, '@authentication/tokens/refresh_rotation.md')
      vim.lsp.buf.definition()
      eventually('the entry', function()
        return buffer_is(rotation)
      end)
    end,
  },
  {
    'references of a relation fill the quickfix list',
    function()
      go(access, '@authentication/tokens/refresh_rotation.md')
      vim.lsp.buf.references()
      eventually('references', function()
        local paths = {}
        for _, item in ipairs(vim.fn.getqflist()) do
          table.insert(paths, vim.api.nvim_buf_get_name(item.bufnr))
        end
        local all = table.concat(paths, '\n')
        return contains(all, 'access_tokens.md') and contains(all, 'revocation.md') and contains(all, 'online_migrations.md')
      end)
      vim.cmd('cclose')
    end,
  },
  {
    'a relation that leads nowhere is a diagnostic, also after a reload',
    function()
      local row = go(migrations, '@database/backups/restore.md')
      local function underlined()
        for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
          if diagnostic.lnum == row - 1 then
            return diagnostic.source == 'brv'
          end
        end
      end
      eventually('diagnostic', underlined)
      vim.cmd('edit')
      eventually('diagnostic after the reload', underlined)
    end,
  },
  {
    'hover on a code symbol shows the entry that names it',
    function()
      go('src/auth/tokens.ts', 'rotateRefreshToken')
      check(contains(hover('names `rotateRefreshToken`'), 'Refresh token rotation'), 'no title')
    end,
  },
  {
    'a page that names a symbol leads to it, and hover on the symbol names the page',
    function()
      go('docs/signing.md', 'Claims')
      eventually('the code', function()
        if buffer_is('src/auth/signing.ts') then
          return true
        end
        vim.lsp.buf.definition()
        vim.wait(500, function()
          return buffer_is('src/auth/signing.ts')
        end, 10)
      end)
      hover('docs/signing.md › Payload')
    end,
  },
  {
    'a declined selection leaves nothing behind',
    function()
      local before = #entries()
      check(contains(curate('Cancel'), '.brv/context-tree'), 'the question names no file')
      check(#entries() == before, 'a file was made')
    end,
  },
  {
    'a curated selection is on disk',
    function()
      local before = table.concat(entries(), '\n')
      curate('Write')
      local created = eventually('a new entry', function()
        for _, path in ipairs(entries()) do
          if not contains(before, path) and vim.fn.getfsize(path) > 0 then
            return path
          end
        end
      end)
      check(contains(table.concat(vim.fn.readfile(created), '\n'), 'revokeFamily'), created .. ' lacks the selection')
      vim.cmd('silent! bwipeout! ' .. created)
      vim.fn.delete(created)
    end,
  },
  {
    ':BrvAsk opens the answer with its source',
    function()
      vim.cmd('BrvAsk How are refresh tokens rotated?')
      eventually('the answer', function()
        return buffer_is('How are refresh tokens rotated?') and contains(text_of(0), 'refresh_rotation.md')
      end)
      vim.bo.modifiable = true -- a path that the answer's text names, but no source of it
      vim.api.nvim_buf_set_lines(0, -1, -1, true, { 'Source: authentication/tokens/refresh_rotation.md:16-26', '- ../outside.md:1' })
      vim.cmd('normal Ggf')
      check(buffer_is('How are refresh tokens rotated?'), vim.api.nvim_buf_get_name(0))
      for _, line in ipairs({ '^   `.*refresh_rotation.md:', '^Source: ', '^- .*refresh_rotation.md:' }) do
        check(vim.fn.search(line) > 0, text_of(0))
        vim.cmd('normal gf')
        check(buffer_is('refresh_rotation.md'), vim.api.nvim_buf_get_name(0))
        vim.cmd('wincmd p')
      end
      vim.cmd('close')
    end,
  },
  {
    ':Brv completes its names, fills the quickfix list, and finds entries by title',
    function()
      check(vim.deep_equal(vim.fn.getcompletion('Brv re', 'cmdline'), { 'review' }), vim.inspect(vim.fn.getcompletion('Brv re', 'cmdline')))
      check(vim.deep_equal(vim.fn.getcompletion('Brv review ', 'cmdline'), { 'approve', 'reject' }), 'review')
      check(vim.deep_equal(vim.fn.getcompletion('Brv mend ', 'cmdline'), { 'changes', 'confirm', 'open' }), 'mend')
      vim.cmd('Brv check')
      eventually('the list', function()
        for _, item in ipairs(vim.fn.getqflist()) do
          if contains(item.text, 'broken-relation') or contains(item.text, 'no such entry') then
            return true
          end
        end
      end)
      vim.cmd('cclose')
      local select = vim.ui.select
      vim.ui.select = function(items, options, choose)
        check(contains(options.format_item(items[1]), 'Online migrations'), vim.inspect(items))
        choose(items[1])
      end
      vim.cmd('Brv find migrations')
      eventually('the entry', function()
        return buffer_is('online_migrations.md')
      end)
      vim.ui.select = select
      vim.cmd('edit #')
    end,
  },
  {
    ':BrvAsk says so when the tree does not cover the question, and how to write it down',
    function()
      local said
      local notify = vim.notify
      vim.notify = function(message)
        said = message
      end
      vim.cmd('BrvAsk Which volcano erupted in Iceland yesterday?')
      eventually('the refusal', function()
        return said and contains(said, 'volcano')
      end)
      check(buffer_is('Which volcano erupted in Iceland yesterday?'), vim.api.nvim_buf_get_name(0))
      check(contains(text_of(0), 'not covered') and contains(text_of(0), 'write it down'), text_of(0))
      choose('Another topic')
      local asked = {}
      vim.ui.input = function(options, done)
        table.insert(asked, options.prompt)
        done(#asked == 1 and 'Nobody in this team watches volcanoes.' or 'office/hobbies')
      end
      vim.cmd('normal c')
      eventually('the draft', function()
        return contains(said, ':write keeps this entry')
      end)
      check(contains(vim.api.nvim_buf_get_name(0), '.brv/context-tree/office/hobbies/') and contains(text_of(0), 'watches volcanoes'), text_of(0))
      vim.cmd('bdelete!')
      vim.cmd('normal q')
      check(not contains(vim.api.nvim_buf_get_name(0), 'volcano'), 'the answer is still there')
      vim.notify = notify
    end,
  },
  {
    ':BrvPack opens a pack within its budget',
    function()
      local said
      local notify = vim.notify
      vim.notify = function(message)
        said = message
      end
      go('src/auth/tokens.ts', 'rotateRefreshToken')
      vim.cmd('3000BrvPack Limit refresh tokens to one device')
      eventually('the pack', function()
        return said and buffer_is('Limit refresh tokens to one device') and contains(text_of(0), 'src/auth/tokens.ts')
      end)
      vim.notify = notify
      local used, budget = said:match('packed (%d+) of (%d+) tokens')
      check(used and tonumber(used) <= 3000 and budget == '3000', said)
      local uri, text = vim.b.brv_uri, text_of(0)
      vim.cmd('edit ' .. uri)
      check(contains(text, text_of(0)), uri .. ' is not the pack that was shown: ' .. text_of(0))
      vim.cmd('3000BrvPack! Limit refresh tokens to one device')
      eventually('the pack in a register', function()
        return vim.fn.getreg('"'):find('Refresh token rotation', 1, true)
      end)
      check(vim.bo.filetype == 'markdown' and not vim.bo.modifiable, uri .. ' is not a view')
      vim.cmd('close')
    end,
  },
  {
    'in a pack its items say why they are there, and are dropped, pinned, and given another budget',
    function()
      local said, quiet = hear()
      go('src/auth/tokens.ts', 'rotateRefreshToken')
      vim.cmd('Brv pack Limit refresh tokens to one device')
      local function has(part)
        eventually(part, function()
          return contains(text_of(0), part)
        end)
      end
      has('## Items and reasons')
      check(text_of(0):match('\n%- src/auth/tokens.ts %(%a+, %d+ tokens%): %S'), text_of(0))
      vim.fn.search('^- src/auth/tokens.ts ')
      vim.cmd('normal x')
      has('## Dropped')
      check(not text_of(0):match('\n%- src/auth/tokens.ts %('), text_of(0))
      vim.fn.search('^- src/auth/tokens.ts$')
      vim.cmd('normal p')
      has('- [pinned] src/auth/tokens.ts ')
      vim.ui.input = function(_, done)
        done('1500')
      end
      vim.cmd('normal b')
      has(' of 1500 tokens')
      check(contains(said(), 'of 1500 tokens'), said())
      vim.cmd('normal Y')
      check(not contains(vim.fn.getreg('"'), 'What is in it') and contains(vim.fn.getreg('"'), 'rotateRefreshToken'), vim.fn.getreg('"'))
      vim.cmd('normal gg')
      vim.fn.search('^- .pinned. src/auth/tokens.ts ')
      vim.cmd([[execute "normal \<CR>"]])
      check(buffer_is('src/auth/tokens.ts'), vim.api.nvim_buf_get_name(0))
      vim.cmd('wincmd p')
      vim.cmd('close')
      quiet()
    end,
  },
  {
    ':Brv curate drafts an entry of one sentence about what is at the cursor',
    function()
      local said, quiet = hear()
      go('src/auth/tokens.ts', 'rotateRefreshToken')
      local offered = choose('authentication/tokens')
      vim.ui.input = function(options, done)
        check(contains(options.prompt, 'What should the next person know'), options.prompt)
        done('A token that comes twice ends its family, because nobody can tell which of the two is the thief.')
      end
      vim.cmd('Brv curate')
      eventually('the draft', function()
        return contains(said(), ':write keeps this entry')
      end)
      check(vim.startswith(offered(), 'authentication/tokens'), offered())
      local path = vim.api.nvim_buf_get_name(0)
      check(contains(path, '.brv/context-tree/authentication/tokens/') and vim.fn.filereadable(path) == 0, path)
      check(contains(text_of(0), 'comes twice') and contains(text_of(0), 'src/auth/tokens.ts') and vim.bo.modified, text_of(0))
      vim.cmd('silent write')
      check(vim.fn.filereadable(path) == 1, path .. ' is not written')
      vim.fn.delete(path)
      vim.cmd('bdelete!')
      quiet()
    end,
  },
  {
    ':BrvPropose holds what it drafts, :BrvReview shows and rejects it',
    function()
      local said = {}
      local notify = vim.notify
      vim.notify = function(message)
        table.insert(said, message)
      end
      go('src/auth/tokens.ts', 'rotateRefreshToken')
      local before = table.concat(entries(), '\n')
      -- Rules draft from lines that are selected.
      local file, lines = 'src/auth/tokens.ts', vim.fn.readfile('src/auth/tokens.ts')
      vim.fn.writefile(vim.list_extend({
        '/**',
        ' * Refresh tokens are used once.',
        ' *',
        ' * A stolen token is noticed when its owner comes with it a second time, which ends the whole family of tokens,',
        ' * because nobody can tell which of the two who had it is the thief. Clocks of servers differ by some seconds, so',
        ' * that a token which is used twice within ten of them is taken for a repeated request and answered as before.',
        ' */',
      }, lines), file)
      vim.cmd('edit! ' .. file)
      vim.cmd('1,7BrvPropose')
      local batch = eventually('the review', function()
        return vim.api.nvim_buf_get_name(0):match('brv://review/(%d+)%.md$')
      end)
      check(contains(text_of(0), '# Review of batch ' .. batch) and contains(text_of(0), 'tokens.ts'), text_of(0))
      check(not vim.bo.modifiable, 'the review can be changed')
      check(contains(text_of(0), '`:Brv review approve ' .. batch .. '`'), text_of(0))
      local now = table.concat(entries(), '\n')
      check(now == before, 'changed already: ' .. now)
      vim.cmd('close')
      vim.fn.writefile(lines, file)
      vim.cmd('edit! ' .. file)
      vim.ui.select = function(items, options, done)
        check(contains(options.format_item(items[1]), batch .. ': '), options.format_item(items[1]))
        done(items[1], 1)
      end
      vim.cmd('BrvReview')
      eventually('the review again', function()
        return buffer_is('brv://review/' .. batch .. '.md')
      end)
      vim.cmd('close')
      vim.cmd('BrvReview approve ' .. batch .. ' 1 but 1')
      eventually('that nothing is chosen', function()
        return contains(table.concat(said, '\n'), 'no change is left')
      end)
      vim.cmd('edit brv://review/' .. batch .. '.md')
      vim.cmd('BrvReview reject') -- the batch in this buffer
      eventually('the decision', function()
        return contains(table.concat(said, '\n'), 'Rejected')
      end)
      eventually('that the review closes', function()
        return not contains(vim.api.nvim_buf_get_name(0), 'brv://review/')
      end)
      vim.cmd('Brv! undo') -- so that it waits again
      eventually('the undo', function()
        return contains(table.concat(said, '\n'), 'undone: ')
      end)
      said = {}
      vim.cmd('edit brv://review/' .. batch .. '.md')
      vim.cmd('normal r')
      check(contains(said[1], 'put the cursor on a change'), said[1])
      local function decide(key, outcome)
        check(vim.fn.search('^Waits for review') > 0, text_of(0))
        vim.cmd('normal ' .. key)
        eventually('the decision by key', function()
          return contains(table.concat(said, '\n'), outcome)
        end)
        eventually('that the review closes again', function()
          return not contains(vim.api.nvim_buf_get_name(0), 'brv://review/')
        end)
      end
      decide('a', 'Created')
      vim.cmd('Brv! undo')
      eventually('the undo of the approval', function()
        return contains(table.concat(said, '\n'), 'undone: ')
      end)
      check(contains(said[#said], ': approve ') and not contains(said[#said]:match('^[^,]*'), 'context.md'), said[#said])
      vim.cmd('edit brv://review/' .. batch .. '.md')
      decide('r', 'Rejected')
      vim.cmd('BrvReview')
      eventually('an empty list', function()
        return contains(table.concat(said, '\n'), 'nothing waits for a review')
      end)
      vim.notify = notify
    end,
  },
  {
    ':BrvDream says why it does not run, runs with !, and is taken back',
    function()
      local said = {}
      local notify = vim.notify
      vim.notify = function(message)
        table.insert(said, message)
      end
      local before = table.concat(entries(), '\n')
      for _, step in ipairs({
        { 'BrvDream', 'Dream skipped: Not enough changes' },
        { 'BrvDream!', 'Dream completed: ' },
        { 'BrvDream undo', 'Dream undone: ' },
        { 'BrvDream later', 'knows undo, not later' },
      }) do
        vim.cmd(step[1])
        local wants = step[1] .. ', which says ' .. step[2]
        eventually(wants, function()
          return contains(table.concat(said, '\n'), step[2])
        end)
      end
      check(table.concat(entries(), '\n') == before, table.concat(entries(), '\n'))
      vim.notify = notify
    end,
  },
  {
    'a quick fix leads a broken relation to the nearest entry',
    function()
      local row = go(migrations, '@database/backups/restore.md')
      local line = vim.api.nvim_get_current_line()
      vim.api.nvim_set_current_line((line:gsub('@database/backups/restore.md', '@authentication/tokens/acces_tokens.md')))
      local chosen
      vim.ui.select = function(items, _, done)
        for index, item in ipairs(items) do
          local action = item.action or item[2] or item
          if contains(action.title, 'access_tokens') then
            chosen = action.title
            return done(item, index)
          end
        end
        done(nil)
      end
      eventually('the fixed relation', function()
        vim.api.nvim_win_set_cursor(0, { row, vim.api.nvim_get_current_line():find('acces_tokens', 1, true) or 0 })
        vim.lsp.buf.code_action()
        vim.wait(500, function()
          return contains(vim.api.nvim_get_current_line(), '@authentication/tokens/access_tokens.md')
        end, 10)
        return contains(vim.api.nvim_get_current_line(), '@authentication/tokens/access_tokens.md')
      end)
      check(chosen, 'not chosen')
      vim.cmd('edit!')
    end,
  },
  {
    'a rename that is refused says why, and changes nothing',
    function()
      go(access, 'related: ["authentication/tokens/refresh_rotation.md')
      local before = text_of(0)
      vim.cmd('messages clear')
      vim.lsp.buf.rename('elsewhere/rotation')
      eventually('the reason', function()
        return contains(vim.api.nvim_exec('messages', true), 'a new name cannot contain')
      end)
      check(text_of(0) == before, text_of(0))
    end,
  },
  {
    'renaming a relation moves the entry and changes what leads to it',
    function()
      go(access, '@authentication/tokens/refresh_rotation.md')
      vim.lsp.buf.rename('rotation')
      eventually('the new name', function()
        return contains(text_of(0), '@authentication/tokens/rotation.md')
      end)
      vim.cmd('silent wall')
      local moved = rotation:gsub('refresh_rotation', 'rotation')
      check(vim.fn.filereadable(moved) == 1 and vim.fn.filereadable(rotation) == 0, 'the entry was not moved')
    end,
  },
  {
    'a file explorer asks for what must follow a move',
    function()
      local moved = rotation:gsub('refresh_rotation', 'rotation')
      go(access, '@authentication/tokens/rotation.md')
      eventually('what follows', function() -- once the server has seen the first move on disk
        return require('brv').will_rename(moved, rotation)
      end)
      check(contains(text_of(0), '@authentication/tokens/refresh_rotation.md'), 'the relation stays')
      vim.cmd('silent wall')
      check(vim.fn.rename(moved, rotation) == 0, 'the file is not moved')
      vim.cmd('silent! bwipeout! ' .. moved)
    end,
  },
  {
    ':Brv move takes an entry to another topic with what leads there, and back',
    function()
      local said, quiet = hear()
      local moved = '.brv/context-tree/security/refreshing/rotation.md'
      vim.cmd('edit ' .. rotation)
      vim.cmd('Brv move elsewhere')
      check(contains(said(), 'domain/topic/name'), said())
      for _, step in ipairs({ { rotation, moved, 'security/refreshing/rotation' }, { moved, rotation, 'authentication/tokens/refresh_rotation.md' } }) do
        vim.cmd('Brv move ' .. step[3])
        check(buffer_is(step[2]) and vim.fn.filereadable(step[2]) == 1 and vim.fn.filereadable(step[1]) == 0, said())
        local leads = table.concat(vim.fn.readfile(access), '\n')
        check(contains(leads, '@' .. (step[3]:gsub('%.md', '')) .. '.md'), leads)
      end
      quiet()
    end,
  },
  {
    ':Brv links lists what a file is joined to',
    function()
      vim.cmd('edit src/auth/tokens.ts')
      vim.fn.setqflist({})
      vim.cmd('Brv links')
      eventually('the entry', function()
        for _, item in ipairs(vim.fn.getqflist()) do
          if contains(item.text, '← entry: Refresh token rotation') then
            return true
          end
        end
      end)
      vim.cmd('cclose')
    end,
  },
  {
    'the server tells file explorers that it wants to be asked',
    function()
      for _, client in pairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
        local offered = client.server_capabilities.workspace.fileOperations
        check(offered.willRename and offered.didRename and offered.willDelete, vim.inspect(offered))
      end
    end,
  },
  {
    'a stale entry is told at the end of the line that it names, until one setting turns it off',
    function()
      local function stale()
        return marks():match('%d stale')
      end
      local file, gone = 'src/auth/tokens.ts', 'src/db/token_store.ts'
      vim.cmd('edit! ' .. file)
      settle()
      check(marks() == '', marks())
      check(vim.fn.rename(gone, gone .. '.gone') == 0, gone .. ' is not moved')
      back('the marks', stale)
      vim.cmd('edit ' .. rotation)
      eventually('the mark over the entry', function()
        return contains(marks(), 'changed')
      end)
      vim.cmd('edit ' .. file)
      vim.g.brv_virtual_text = false
      vim.cmd('doautocmd BufEnter')
      check(marks() == '', marks())
      vim.g.brv_virtual_text = nil
      vim.cmd('doautocmd BufEnter')
      eventually('the marks again', stale)
      check(vim.fn.rename(gone .. '.gone', gone) == 0, gone .. ' is not moved back')
      back('no mark', function()
        return marks() == ''
      end)
    end,
  },
  {
    'a stale entry is mended where the code left it behind, and the last write is taken back',
    function()
      local said, quiet = hear()
      local file, line = 'src/auth/tokens.ts', 'throw new Error("refresh token was used before");'
      vim.cmd('BrvTrust')
      check(contains(said(), 'is trusted'), said())
      local lines = vim.fn.readfile(file)
      local changed = vim.list_slice(lines, 1, #lines - 10)
      vim.list_extend(changed, { '  return store.transaction((inside) => exchange(inside, presented, { strict: true }));', '}' })
      vim.fn.writefile(changed, file)
      -- What is confirmed is the code as it was committed last.
      vim.fn.system('git -c user.name=Ann -c user.email=ann@example.com -c commit.gpgsign=false commit --quiet --all --message Rewrite')
      vim.cmd('edit! ' .. file)
      back('the mark', function()
        return contains(marks(), 'stale')
      end)
      local row = go(file, 'rotateRefreshToken')
      for _, column in ipairs({ 0, 30 }) do -- on the mark's line, wherever the cursor is
        vim.api.nvim_win_set_cursor(0, { row, column })
        local offered = choose('Show what changed')
        vim.lsp.buf.code_action()
        eventually('what changed', function()
          return buffer_is('brv://diff/authentication/tokens/refresh_rotation.md') and contains(text_of(0), '-    ' .. line)
        end)
        check(contains(offered(), 'Still true: confirm “Refresh token rotation”') and contains(offered(), 'Open “Refresh token rotation”'), offered())
        vim.cmd('close')
      end
      choose('Open “Refresh')
      vim.lsp.buf.code_action()
      eventually('the entry beside the code', function()
        return buffer_is(rotation)
      end)
      vim.api.nvim_win_set_cursor(0, { go(rotation, 'title'), 0 })
      local offered = choose('nothing')
      vim.lsp.buf.code_action()
      eventually('the actions of the entry', function()
        return contains(offered(), 'Still true: confirm this entry')
      end)
      vim.cmd('close')
      offered = choose('Refresh token rotation', 'Still true') -- the entry, where others are stale too, and what is done
      vim.cmd('Brv mend')
      eventually('the confirmation', function()
        return contains(said(), 'Confirmed')
      end)
      check(contains(offered(), 'Show what changed'), offered())
      back('no action that confirms it', function()
        local actions = choose('nothing')
        vim.lsp.buf.code_action()
        settle()
        return not contains(actions(), 'confirm “Refresh token rotation”')
      end)
      vim.cmd('Brv! undo')
      eventually('the undo', function()
        return contains(said(), 'undone: ')
      end)
      back('the action that confirms it', function()
        local actions = choose('nothing')
        vim.lsp.buf.code_action()
        settle()
        return contains(actions(), 'confirm “Refresh token rotation”')
      end)
      vim.fn.writefile(lines, file)
      vim.cmd('edit! ' .. file)
      local signing = 'src/auth/signing.ts' -- which a page names
      check(vim.fn.rename(signing, signing .. '.gone') == 0, signing .. ' is not moved')
      eventually('the page', function()
        vim.cmd('cclose')
        vim.cmd('doautocmd FocusGained')
        vim.cmd('Brv! check')
        settle()
        for _, item in ipairs(vim.fn.getqflist()) do
          if contains(vim.api.nvim_buf_get_name(item.bufnr), 'docs/signing.md') then
            return true
          end
        end
      end)
      vim.cmd('cclose')
      check(vim.fn.rename(signing .. '.gone', signing) == 0, signing .. ' is not moved back')
      quiet()
    end,
  },
  {
    'what was found stands there before a model answers, which is cancelled by q, and its answer after',
    function()
      local question = 'refresh rotation revoke family lifetimes'
      local seen
      model_answers = function(text)
        seen = text
        local text = 'A refresh token is single use. The second use revokes its whole family [authentication/tokens/refresh_rotation.md].'
        return { text = text, model = 'small', usage = { input = 12, output = 3 } }
      end
      vim.cmd('Brv ask ' .. question)
      eventually('the answer', function()
        return contains(text_of(0), '> small: ')
      end)
      check(contains(seen, 'A model is asked') and contains(seen, 'rows are kept for thirty days'), seen)
      check(contains(text_of(0), '> small: 12 tokens in, 3 out') and contains(text_of(0), '\nA refresh token is single use. The second'), text_of(0))
      vim.ui.input = function(options, done)
        done(options.default .. 'and logging out')
      end
      model_answers = function()
        vim.cmd('normal q')
        return { text = 'Rows are kept [authentication/sessions/revocation.md].' }
      end
      vim.cmd('normal f')
      eventually('that it is cancelled', function()
        return contains(text_of(0), 'Cancelled')
      end)
      check(contains(text_of(0), '# ' .. question .. ', and logging out'), text_of(0))
      settle()
      check(not contains(text_of(0), 'Rows are kept [auth'), text_of(0))
      vim.cmd('normal q')
      check(not contains(text_of(0), ', and logging out'), 'the window is still there')
      vim.cmd('normal q')
      model_answers = nil
    end,
  },
  {
    ':help brv names every command, function and variable, and none that is not there',
    function()
      local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':h:h')
      local read = function(path)
        return table.concat(vim.fn.readfile(here .. path), '\n')
      end
      local help, lua, types = read('/doc/brv.txt'), read('/lua/brv.lua'), read('/lua/brv/types.lua')
      vim.fn.mkdir('help')
      vim.fn.writefile(vim.fn.readfile(here .. '/doc/brv.txt'), 'help/brv.txt')
      vim.cmd('helptags help') -- fails over a tag that stands there twice
      -- Same names in both: what a pattern finds in the help, and what there is.
      local function same(kind, pattern, there)
        local named = {}
        for name in help:gmatch(pattern) do
          named[name] = true
        end
        for name in pairs(named) do
          check(there[name], 'help: there is no ' .. kind .. ' ' .. name)
        end
        for name in pairs(there) do
          check(named[name], 'help: lacks the ' .. kind .. ' ' .. name)
        end
      end
      local commands, functions, variables, subcommands = {}, {}, {}, {}
      for name in pairs(vim.api.nvim_get_commands({})) do
        commands[name] = vim.startswith(name, 'Brv') or nil
      end
      same('command', '%*:(Brv%w*)%*', commands)
      for name, value in pairs(require('brv')) do
        functions[name] = type(value) == 'function' or nil
      end
      for _, name in ipairs({ 'command', 'complete', 'call', 'read', 'mark' }) do
        functions[name] = nil -- for the plugin itself
      end
      same('function', "require%('brv'%)%.([%w_]+)%(", functions)
      for name in lua:gmatch('vim%.g%.(brv_[%w_]+)') do
        variables[name] = true
      end
      same('variable', 'g[:.](brv_[%w_]+)', variables)
      for _, name in ipairs(vim.fn.getcompletion('Brv ', 'cmdline')) do
        subcommands[name] = true
      end
      same('subcommand', '\n:[%[%]range]*Brv (%l+)', subcommands)
      for part, key in help:gmatch('brv = { (%a+) = { (%a+) =') do
        check(contains(types, part) and contains(types, key), 'help: there is no setting ' .. part .. '.' .. key)
      end
    end,
  },
  {
    'a lens fills the quickfix list',
    function()
      go(rotation, 'title:')
      vim.fn.setqflist({})
      eventually('references', function()
        vim.lsp.codelens.refresh()
        settle()
        vim.ui.select = function(items, _, done)
          for index, item in ipairs(items) do
            if (item.lens or item[2] or item).command.command == 'brv.showReferences' then
              return done(item, index)
            end
          end
        end
        vim.api.nvim_win_set_cursor(0, { 2, 0 })
        pcall(vim.lsp.codelens.run)
        settle()
        return #vim.fn.getqflist() > 1
      end)
      vim.cmd('cclose')
    end,
  },
  {
    'relations lead into other trees of the user',
    function()
      go(rotation, 'title:')
      vim.fn.append(vim.fn.line('$'), { 'Rates: @team:money/rates/exchange.md', 'Not there: @team:money/rates/gone.md' })
      local row = vim.fn.line('$')
      vim.cmd('silent write')
      eventually('diagnostic', function()
        for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
          if diagnostic.lnum == row - 1 and contains(diagnostic.message, 'no such entry in the tree team') then
            return true
          end
        end
      end)
      go(rotation, '@team:money/rates/exchange.md')
      check(contains(hover('Exchange rates'), 'Six digits'), 'no summary')
      vim.lsp.buf.definition()
      eventually('the entry', function()
        return buffer_is('team/.brv/context-tree/money/rates/exchange.md')
      end)
      vim.cmd('bdelete')
    end,
  },
  {
    'a sentence is written down in other trees of the user',
    function()
      for _, tree in ipairs({ 'me', 'team' }) do
        go('src/auth/signing.ts', 'Claims')
        choose(tree .. ':')
        local said, restore = hear()
        vim.cmd('Brv curate Rates of ' .. tree .. ' are looked up at noon')
        eventually('an answer', function()
          return said() ~= ''
        end)
        restore()
        settle()
        local verb = tree == 'me' and { 'search', 'looked up at noon' } or { 'review', '--tree', 'team' }
        local listed = vim.fn.system(vim.list_extend({ vim.env.BRV_SERVER }, verb))
        check(contains(listed, tree == 'me' and 'me:' or 'rates_of_team'), listed)
      end
    end,
  },
  {
    ':checkhealth finds the server, its folder and its trust',
    function()
      vim.cmd('checkhealth brv')
      local text = eventually('the report', function()
        return contains(text_of(0), 'trusted') and text_of(0)
      end)
      check(contains(text, 'brv-lsp 0.') and contains(text, 'has a context tree'), text)
      vim.cmd('bwipeout!')
    end,
  },
}

local version = vim.version()
io.stdout:write(string.format('Neovim %d.%d.%d\n', version.major, version.minor, version.patch))
for _, test in ipairs(tests) do
  local start = vim.loop.hrtime()
  local ok, problem = xpcall(test[2], debug.traceback)
  local took = (vim.loop.hrtime() - start) / 1e6
  io.stdout:write(string.format('%-7s %s (%.0f ms)\n', ok and 'ok' or 'FAILED', test[1], took))
  if not ok then
    io.stdout:write(problem .. '\n')
    vim.cmd('cquit 1')
  end
end
vim.cmd('qall!')
