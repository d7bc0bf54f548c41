#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
package import TillCore

extension TransportFailure {
    /// Classifies a client error by the possibility that the request was sent. `notSent` covers the listed errors that
    /// can only occur before the first byte of a request; everything else is `unknown`. The reasons are fixed texts: an
    /// error's own text may repeat the request.
    package init(verdictOn error: any Error) {
        switch error {
        case let error as HTTPClientError:
            self = TransportFailure.verdict(on: error)
        case is NIOConnectionError:
            self = .notSent(reason: "could not connect")
        case let error as IOError where error.errnoCode == ECONNREFUSED:
            self = .notSent(reason: "connection refused")
        case is SocketAddressError:
            self = .notSent(reason: "the host's name was not found")
        case ChannelError.connectTimeout:
            self = .notSent(reason: "connecting took too long")
        case NIOSSLError.handshakeFailed, NIOSSLError.unableToValidateCertificate,
            NIOSSLError.noCertificateToValidate, is NIOSSLExtraError:
            self = .notSent(reason: "TLS could not be set up")
        default:
            self = .unknown(reason: "the connection failed")
        }
    }

    private static func verdict(on error: HTTPClientError) -> TransportFailure {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout: .notSent(reason: "connecting took too long")
        case .tlsHandshakeTimeout: .notSent(reason: "TLS took too long")
        case .alreadyShutdown: .notSent(reason: "the client is shut down")
        case .invalidURL, .emptyHost, .emptyScheme: .notSent(reason: "the address is not usable")
        case .readTimeout, .deadlineExceeded: .unknown(reason: "no answer in time")
        case .remoteConnectionClosed: .unknown(reason: "the connection was closed before an answer")
        default: .unknown(reason: "the request failed")
        }
    }
}
