import HTTPTypes
import Hummingbird
import NIOCore
import TillCore
import TillOffline

/// `GET /v1/offline`: the stored payments.
struct OfflineRoute: Sendable {
    let offline: OfflineService

    func register(on router: CounterRouter) {
        router.get("/v1/offline", for: .offline, of: .counter) { _ in try await stored() }
    }

    private func stored() async throws -> Response {
        let metrics: OfflineMetrics
        do throws(OfflineLogError) { metrics = try await offline.metrics() } catch {
            throw Problem(.serviceUnavailable, error.code, error.what, next: error.next)
        }
        var writer = JSONWriter()
        metrics.write(into: &writer)
        return Response(
            status: .ok, headers: [.contentType: "application/json; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: writer.bytes)))
    }
}
