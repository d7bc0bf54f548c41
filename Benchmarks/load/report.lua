-- Prints what wrk counted as one line of JSON. No `response` callback: it would slow wrk itself, which
-- shares the machine with the service. wrk counts answers that are not 2xx or 3xx as `status` errors.
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    'RESULT {"answers":%d,"acknowledged":%d,"refused":%d,"seconds":%.6f,"p50_ms":%.4f,"p99_ms":%.4f,"max_ms":%.4f,'
      .. '"broken":%d}\n',
    summary.requests, summary.requests - e.status, e.status, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, latency.max / 1e3, e.connect + e.read + e.write + e.timeout))
end
