-- A session of a person in Neovim: nvim -l is newer than the oldest version that this runs in, so a failure
-- ends the editor with an exit code by hand. What the person sees is written to $SESSION_OUT as JSON.
local dir, toolgen, out = vim.env.SESSION_DIR, vim.env.SESSION_TOOLGEN, vim.env.SESSION_OUT
local seen = {}

local function wait(what, condition)
  if not vim.wait(20000, condition, 1) then
    error("timed out: " .. what)
  end
end

-- replace edits the first line of the buffer that has a text, as typing does.
local function replace(old, new)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local from, to = line:find(old, 1, true)
    if from then
      vim.api.nvim_buf_set_text(0, number - 1, from - 1, number - 1, to, { new })
      return number
    end
  end
  error("no line has " .. old)
end

-- put moves the cursor behind a text of the buffer.
local function put(text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local _, to = line:find(text, 1, true)
    if to then
      vim.api.nvim_win_set_cursor(0, { number, to })
      return
    end
  end
  error("no line has " .. text)
end

local function ask(method)
  local replies = vim.lsp.buf_request_sync(0, method, vim.lsp.util.make_position_params(), 20000)
  for _, reply in pairs(replies or {}) do
    assert(reply.err == nil, vim.inspect(reply.err))
    return reply.result
  end
  error("no reply to " .. method)
end

local function problems()
  return vim.tbl_map(function(d) return { code = d.code, message = d.message, line = d.lnum } end, vim.diagnostic.get(0))
end

local function session()
  vim.cmd("edit " .. dir .. "/manifest/tools/area3.yaml")
  vim.opt.virtualedit = "onemore"
  local exit
  local id = vim.lsp.start_client({
    name = "toolgen", cmd = { toolgen, "lsp" }, root_dir = dir, flags = { debounce_text_changes = 0 },
    on_exit = function(code) exit = code end,
  })
  vim.lsp.buf_attach_client(0, id)
  wait("initialize", function() return vim.lsp.get_client_by_id(id).initialized ~= nil and vim.lsp.buf_is_attached(0, id) end)
  ask("textDocument/hover") -- the server has read the module when it replies

  seen.milliseconds = {}
  for round = 1, 10 do
    local begin = vim.loop.hrtime()
    replace("capability: core", "capability: cor")
    wait("a problem in round " .. round, function() return #vim.diagnostic.get(0) > 0 end)
    table.insert(seen.milliseconds, (vim.loop.hrtime() - begin) / 1e6)
    seen.problems = problems()
    replace("capability: cor", "capability: core")
    wait("no problem in round " .. round, function() return #vim.diagnostic.get(0) == 0 end)
  end

  replace("visible: open", "visble: open")
  wait("a misspelt key", function() return #vim.diagnostic.get(0) > 0 end)
  local range = { start = { line = vim.diagnostic.get(0)[1].lnum, character = 0 }, ["end"] = { line = vim.diagnostic.get(0)[1].lnum, character = 99 } }
  local params = { textDocument = vim.lsp.util.make_text_document_params(), range = range, context = { diagnostics = {} } }
  for _, reply in pairs(vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 20000)) do
    seen.action = reply.result[1].title
    vim.lsp.util.apply_workspace_edit(reply.result[1].edit, "utf-16")
  end
  wait("the fix", function() return #vim.diagnostic.get(0) == 0 end)

  replace("capability: core", "capability: ")
  put("capability: ")
  local items = vim.lsp.util.text_document_completion_list_to_complete_items(ask("textDocument/completion"), "")
  seen.completion = vim.tbl_map(function(i) return i.word end, items)
  replace("capability: ", "capability: core")
  wait("a capability", function() return #vim.diagnostic.get(0) == 0 end)

  put("name: tool_96")
  seen.hover = ask("textDocument/hover").contents.value

  vim.lsp.buf.definition()
  wait("the handler", function() return vim.api.nvim_buf_get_name(0):match("%.go$") ~= nil end)
  seen.handler = vim.api.nvim_get_current_line()
  vim.cmd("buffer " .. dir .. "/manifest/tools/area3.yaml")

  put("name: tool_96")
  vim.lsp.buf.rename("fetch_note")
  wait("the rename", function() return vim.fn.search("was: tool_96", "nw") > 0 end)
  seen.renamed = vim.api.nvim_buf_get_lines(0, 1, 4, false)
  wait("no problem after the rename", function() return #vim.diagnostic.get(0) == 0 end)

  vim.lsp.stop_client(id)
  wait("the end of the server", function() return exit ~= nil end)
  seen.exit = exit
end

local ok, err = pcall(session)
seen.error = not ok and tostring(err) or nil
local file = io.open(out, "w")
file:write(vim.json and vim.json.encode(seen) or vim.fn.json_encode(seen))
file:close()
vim.cmd("qa!")
