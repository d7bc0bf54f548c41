import HTTPTypes
import Hummingbird
import NIOCore
import TillCore
package import TillCounter
import TillOffline
package import TillWeb

/// `GET /v1/offline`: the stored payments.
package struct OfflineRoute: Sendable {
    package let offline: OfflineService

    package init(offline: OfflineService) {
        self.offline = offline
    }

    package func register(on router: CounterRouter) {
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
