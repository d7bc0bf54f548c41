import HTTPTypes
import Hummingbird
import TillCore
import TillOffline

extension CounterResponder {
    /// `GET /v1/offline`: what is stored. `nil` for every other address.
    func offlineAnswer(_ request: Request, route: inout String) async throws -> Response? {
        guard request.uri.path == "/v1/offline", let offline else { return nil }
        route = "/v1/offline"
        guard request.method == .get || request.method == .head else {
            var problem = Problem(
                .methodNotAllowed, "method_not_allowed", "This address does not take \(request.method.rawValue).",
                next: "Use GET.")
            problem.headers[.allow] = "GET, HEAD"
            throw problem
        }
        _ = try await authenticator.account(of: request)
        let figures: OfflineMetrics
        do throws(OfflineLogError) { figures = try await offline.figures() } catch {
            throw Problem(.serviceUnavailable, error.code, error.what, next: error.next)
        }
        var writer = JSONWriter()
        figures.write(into: &writer)
        return Response(
            status: .ok, headers: [.contentType: "application/json; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: writer.bytes)))
    }
}
