import HTTPTypes
import Hummingbird
import NIOCore

/// A file of a page, kept in the program.
struct Asset: Sendable {
    let path: String
    let mediaType: String
    /// Made when it is first asked for, so that a start is not held up by files that nobody loads.
    private let bytes: @Sendable () -> [UInt8]

    init(_ path: String, _ mediaType: String, _ bytes: @autoclosure @escaping @Sendable () -> [UInt8]) {
        self.path = path
        self.mediaType = mediaType
        self.bytes = bytes
    }

    /// The file; a browser asks each time whether it has changed.
    var response: Response {
        Response(
            status: .ok, headers: [.contentType: mediaType, .cacheControl: "no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes())))
    }

    static let html = "text/html; charset=utf-8"
    static let css = "text/css; charset=utf-8"
    static let javaScript = "text/javascript; charset=utf-8"
    static let yaml = "application/yaml"
}
