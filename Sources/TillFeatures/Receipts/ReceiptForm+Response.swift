import HTTPTypes
import Hummingbird
import NIOCore
import TillCanvas
import TillCore
import TillCounter
import TillReceipts
import TillWeb

extension ReceiptForm {
    /// Returns a receipt in this form. A page has a policy that lets it load nothing.
    /// - Throws: ``Problem`` with 503 if it cannot be drawn.
    func response(_ content: ReceiptContent) async throws -> Response {
        let bytes: [UInt8]
        do {
            // Drawing takes milliseconds, so keep it off the event loop.
            bytes = try await Task.detached { try write(content).bytes }.value
        } catch let error as CanvasError {
            throw Problem(.serviceUnavailable, error.code, error.what, next: error.next)
        }
        var headers = HTTPFields()
        headers[.contentType] = format.mediaType
        if format == .html {
            headers[.contentSecurityPolicy] = ReceiptRenderer.contentSecurityPolicy
            headers[HTTPField.Name.literal("X-Robots-Tag")] = "noindex"
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
