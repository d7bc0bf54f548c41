-- Every request is a new payment: an order and a key nobody used before.
dofile((os.getenv("BENCH_LOAD") or "load") .. "/report.lua")

local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end

function init(args)
  local key = os.getenv("BENCH_KEY") or "bench"
  counter = 0
  prefix = (os.getenv("BENCH_RUN") or tostring(os.time())) .. "-" .. number .. "-"
  head = "POST /v1/payments HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: Bearer "
    .. key .. "\r\nIdempotency-Key: k-"
end

function request()
  counter = counter + 1
  local id = prefix .. counter
  local body = '{"order_id":"o-' .. id .. '","amount":1250,"currency":"EUR"}'
  return head .. id .. "\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
end
