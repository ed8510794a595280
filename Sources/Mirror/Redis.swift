import ReleaseModel

/// Redis 7 or newer, by redis-cli, which takes one command a line: a library of functions.
///
/// Each app has a hash (its head), a sorted set (its rows, by key) and a hash (its notes), which every function is told
/// of as keys, so that a cluster can hold them. A row is its columns with blanks between them: keys and moments as they
/// are, the others in hexadecimal. `pawl:apps` has the names of apps that there may be.
struct Redis: MirrorStore {
  private func call(_ function: String, _ app: String, _ words: [String] = [], readOnly: Bool = true)
    -> String
  {
    let keys = ["head", "answers", "notes"].map { "pawl:{\(app)}:\($0)" }
    let line = [readOnly ? "FCALL_RO" : "FCALL", function, "3"] + keys + words.map(Redis.quoted)
    return line.joined(separator: " ") + "\n"
  }

  private static func quoted(_ text: String) -> String {
    var word = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": word += "\\\(scalar)"
      case "\n": word += "\\n"
      default: word.unicodeScalars.append(scalar)
      }
    }
    return word + "\""
  }

  var schema: String { "FUNCTION LOAD REPLACE \(Redis.quoted(Redis.library))\n" }

  func heads(of apps: [String]) -> String {
    "ECHO pawl-here\nFCALL_RO pawl_mirror 0\n" + apps.map { call("pawl_head", $0) }.joined()
      + "FCALL_RO pawl_names 1 pawl:apps\n"
  }

  func rows(of apps: [String]) -> String { apps.map { call("pawl_rows", $0) }.joined() }

  func send(_ app: MirroredApp, over old: MirrorHead?) -> String {
    let rows = zip(app.rows, Schedule.lines(app.rows, notes: []).rows).map { row, line in
      let words = line.split(separator: " ").map(String.init)
      return zip(ScheduleRow.columns, zip(row.cells, words)).map { column, cell in
        column.kind == .key || column.kind == .seconds ? cell.0 ?? "-" : cell.1
      }.joined(separator: " ")
    }
    let notes = Schedule.lines([], notes: app.notes).notes
    let head = [("app", app.head.app)] + app.head.cells + [("not_before", "\(app.notBefore)")]
    // A line that is cut has no end.
    return "SADD pawl:apps \(app.head.app)\n"
      + call(
        "pawl_send", app.head.app,
        [old.map(Redis.word) ?? ""] + ["\(head.count)"] + head.flatMap { [$0.0, $0.1] } + ["\(rows.count)"]
          + rows
          + notes + ["end"], readOnly: false)
  }

  func remove(_ head: MirrorHead) -> String {
    call("pawl_remove", head.app, [Redis.word(head), "end"], readOnly: false) + "SREM pawl:apps \(head.app)\n"
  }

  private static func word(_ head: MirrorHead) -> String { head.cells.map(\.value).joined(separator: " ") }

  private static func list(_ names: [String]) -> String {
    names.map { "'\($0)'" }.joined(separator: ", ")
  }

  /// The functions. Those that write come to nothing unless the head is still what it was.
  private static var library: String {
    """
    #!lua name=pawl
    -- A writer, and a reader that may only ask:
    -- ACL SETUSER pawl_writer on >PASSWORD ~pawl:* +fcall +fcall_ro +function|load +echo +sadd +srem
    -- ACL SETUSER pawl_reader on >PASSWORD %R~pawl:* +fcall_ro
    local columns = {\(list(ScheduleRow.columns.map(\.name)))}
    local of_target = {\(ScheduleRow.columns.filter(\.isOfTarget).map { "\($0.name) = true" }.joined(separator: ", "))}

    local function hex(text)
      return (text:gsub('.', function(byte) return string.format('%02x', byte:byte()) end))
    end

    local function plain(digits)
      if not digits or digits == '-' then return false end
      return (digits:gsub('..', function(pair) return string.char(tonumber(pair, 16)) end))
    end

    local function words(line)
      local list = {}
      for word in line:gmatch('[^ ]+') do list[#list + 1] = word end
      return list
    end

    local function now() return redis.call('TIME')[1] end

    local function head(key)
      return table.concat(redis.call('HMGET', key, \(list(MirrorHead.none.cells.map(\.column)))), ' ')
    end

    local function is_still(key, was)
      if was == '' then return redis.call('EXISTS', key) == 0 end
      return redis.call('EXISTS', key) == 1 and head(key) == was
    end

    local function version_key(version)
      local key, parts = '', 0
      for part in (version .. '.'):gmatch('([^.]*)[.]') do
        if #part > 9 or not part:match('^%d+$') or part:match('^0.') then return nil end
        key, parts = key .. ('0'):rep(9 - #part) .. part, parts + 1
      end
      if parts > 4 then return nil end
      return key .. ('0'):rep(36 - #key)
    end

    local function read(name, callback)
      redis.register_function{function_name = name, callback = callback, flags = {'no-writes'}}
    end

    read('pawl_mirror', function() return 'pawl-mirror \(MirrorKind.format) ' .. now() end)

    read('pawl_names', function(keys)
      local names = redis.call('SMEMBERS', keys[1])
      for place, name in ipairs(names) do names[place] = 'pawl-name ' .. name end
      return names
    end)

    read('pawl_head', function(keys)
      if redis.call('EXISTS', keys[1]) == 0 then return {} end
      local app = redis.call('HGET', keys[1], 'app')
      local lines = {'pawl ' .. app .. ' ' .. head(keys[1]) .. ' ' .. now()}
      if redis.call('HGET', keys[1], 'stopped') == '1' then lines[2] = 'pawl-stopped ' .. app end
      return lines
    end)

    read('pawl_rows', function(keys)
      local app, lines = redis.call('HGET', keys[1], 'app'), {}
      if not app then return lines end
      local function say(line) lines[#lines + 1] = 'pawl-row ' .. app .. ' ' .. line end
      say(redis.call('HGET', keys[1], 'not_before') or '-')
      for _, row in ipairs(redis.call('ZRANGE', keys[2], 0, -1)) do
        local list = words(row)
        for place = 1, 4 do list[place] = hex(list[place] or '') end
        say(table.concat(list, ' '))
      end
      local notes = redis.call('HGETALL', keys[3])
      for place = 1, #notes, 2 do say(notes[place] .. ' ' .. notes[place + 1]) end
      return lines
    end)

    redis.register_function('pawl_send', function(keys, args)
      if args[#args] ~= 'end' then return redis.error_reply('the line is cut') end
      if not is_still(keys[1], args[1]) then return redis.error_reply('the head has changed') end
      redis.call('DEL', keys[2], keys[3])
      local place = 3
      for _ = 1, tonumber(args[2]) do
        redis.call('HSET', keys[1], args[place], args[place + 1])
        place = place + 2
      end
      local last = place + tonumber(args[place])
      while place < last do
        place = place + 1
        redis.call('ZADD', keys[2], 0, args[place])
      end
      while place + 1 < #args do
        place = place + 1
        local target, version, notes = unpack(words(args[place]))
        redis.call('HSET', keys[3], target .. ' ' .. version, notes)
      end
      return 'OK'
    end)

    redis.register_function('pawl_remove', function(keys, args)
      if args[#args] ~= 'end' then return redis.error_reply('the line is cut') end
      if not is_still(keys[1], args[1]) then return redis.error_reply('the head has changed') end
      return redis.call('DEL', keys[1], keys[2], keys[3])
    end)

    -- FCALL_RO pawl_ask 3 pawl:{APP}:head pawl:{APP}:answers pawl:{APP}:notes VERSION [AT]: names and values in turn, or
    -- nothing if nobody knows.
    read('pawl_ask', function(keys, args)
      local key = version_key(args[1] or '')
      local head = redis.call('HMGET', keys[1], 'generation', 'not_before', 'stopped')
      if not key or not head[1] then return {} end
      local at = tonumber(args[2]) or math.max(tonumber(now()), tonumber(head[2]))
      local from = 0
      while true do
        local rows = redis.call('ZRANGE', keys[2], '[' .. key .. '~', '-', 'BYLEX', 'REV', 'LIMIT', from, 16)
        if #rows == 0 then return {} end
        for _, row in ipairs(rows) do
          local list = words(row)
          if key < list[2] and tonumber(list[3]) <= at and at < tonumber(list[4]) then
            local is_stopped, answer, target = head[3] == '1', {}, {}
            local silent = {action = 'none', tiers = '[]', tag = 's' .. (plain(list[#list]) or ''):sub(2)}
            for place = 5, #columns do
              local name, value = columns[place], plain(list[place])
              if of_target[name] then target[name] = list[place] end
              if is_stopped and of_target[name] then value = false end
              if is_stopped and silent[name] then value = silent[name] end
              answer[#answer + 1] = name
              answer[#answer + 1] = value
              if name == 'url' then
                answer[#answer + 1] = 'notes'
                answer[#answer + 1] = not is_stopped and target.target ~= '-'
                  and plain(redis.call('HGET', keys[3], target.target_app .. ' ' .. target.target))
              end
            end
            answer[#answer + 1] = 'generation'
            answer[#answer + 1] = head[1]
            answer[#answer + 1] = 'valid_until'
            answer[#answer + 1] = list[4]
            return answer
          end
        end
        from = from + 16
      end
    end)

    """
  }
}
