package import HTTPTypes
package import Hummingbird
import NIOCore

extension Response {
    /// Creates a response with one JSON document.
    package static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
