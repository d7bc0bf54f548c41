import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Translates the messages of HTTP/1.1 to the types that they have in every version of HTTP, and back.
///
/// The conversions are those of the library's `HTTP1ToHTTPServerCodec`, which takes every address apart as a URL to
/// look for a scheme in it. An address that begins with a slash has none: it is passed on as it came.
final class RequestCodec: ChannelDuplexHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Returns the head of a request.
    /// - Throws: the library's error for a method that is no token.
    static func request(_ head: HTTPRequestHead) throws -> HTTPRequest {
        guard head.uri.utf8.first == UInt8(ascii: "/") else {
            return try HTTPRequest(head, secure: false, splitCookie: false)
        }
        return HTTPRequest(
            method: try HTTPRequest.Method(head.method), scheme: "http", authority: head.headers["Host"].first,
            path: head.uri, headerFields: HTTPFields(head.headers, splitCookie: false))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            do {
                context.fireChannelRead(wrapInboundOut(.head(try RequestCodec.request(head))))
            } catch { context.fireErrorCaught(error) }
        case .body(let part):
            context.fireChannelRead(wrapInboundOut(.body(part)))
        case .end(let trailers):
            context.fireChannelRead(wrapInboundOut(.end(trailers.map { HTTPFields($0, splitCookie: false) })))
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            context.write(wrapOutboundOut(.head(HTTPResponseHead(head))), promise: promise)
        case .body(let part):
            context.write(wrapOutboundOut(.body(.byteBuffer(part))), promise: promise)
        case .end(let trailers):
            context.write(wrapOutboundOut(.end(trailers.map { HTTPHeaders($0) })), promise: promise)
        }
    }
}
