-- Pages of 20 payments: the newest, or, with BENCH_AMONG, one at a place chosen at random among so many.
dofile((os.getenv("BENCH_LOAD") or "load") .. "/report.lua")

function init(args)
  among = tonumber(os.getenv("BENCH_AMONG") or "0")
  head = " HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: " .. os.getenv("BENCH_COOKIE") .. "\r\n\r\n"
  math.randomseed(20)
end

function request()
  if among == 0 then return "GET /v1/payments?limit=20" .. head end
  return string.format("GET /v1/payments?limit=20&before=pay_%010d", math.random(among)) .. head
end
