-- Every request is the same payment under the same key: the stored answer must come back.
dofile((os.getenv("BENCH_LOAD") or "load") .. "/report.lua")

function init(args)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["Authorization"] = "Bearer " .. (os.getenv("BENCH_KEY") or "bench")
  wrk.headers["Idempotency-Key"] = "k-replay"
  wrk.body = '{"order_id":"o-replay","amount":1250,"currency":"EUR"}'
  ready = wrk.format()
end

function request() return ready end
