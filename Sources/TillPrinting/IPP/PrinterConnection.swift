import AsyncHTTPClient
import Crypto
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
public import TillCore

/// The way to one printer over HTTP, for `ipp` and `ipps`.
///
/// `ipps` is verified as on the web unless a certificate was pinned: printers make their own. A pinned printer must
/// show exactly that certificate, whatever its name. Nothing is sent twice and no redirect is followed.
/// ``shutdown()`` must be called in the end.
public final class PrinterConnection: IPPCarrier {
    /// A printer's certificate.
    public struct Pin: Hashable, Sendable {
        /// The certificate in DER.
        public let certificate: [UInt8]
        /// SHA-256 of it, as 64 hex digits: what people compare.
        public var fingerprint: String { Hex.lowercase(SHA256.hash(data: certificate)) }

        /// A pin.
        public init(certificate: [UInt8]) { self.certificate = certificate }
    }

    private let url: String
    private let client: HTTPClient

    /// A way to a printer.
    /// - Throws: ``IPPError`` if the pin is no certificate.
    public init(_ address: PrinterAddress.IPP, pin: Pin? = nil) throws(IPPError) {
        url = address.url
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let pin {
            do {
                tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: pin.certificate, format: .der)])
            } catch { throw .unreachable("the pinned certificate can not be read", mayHaveArrived: false) }
            tls.certificateVerification = .noHostnameVerification
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, timeout: .init(connect: .seconds(4)), proxy: nil,
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes what is open.
    public func shutdown() async { try? await client.shutdown() }

    public func exchange(_ bytes: [UInt8], deadline: Span) async throws(IPPError) -> [UInt8] {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/ipp")
        request.body = .bytes(ByteBuffer(bytes: bytes))
        let answer: HTTPClientResponse
        do {
            answer = try await client.execute(request, deadline: .now() + .milliseconds(deadline.milliseconds))
        } catch { throw PrinterConnection.failure(error) }
        guard answer.status == .ok else { throw .http(Int(answer.status.code)) }
        do {
            let body = try await answer.body.collect(upTo: IPPMessage.maximumBytes)
            return Array(body.readableBytesView)
        } catch { throw .unreachable("its answer broke off", mayHaveArrived: true) }
    }

    private static func failure(_ error: any Error) -> IPPError {
        switch error {
        case let error as HTTPClientError:
            switch error {
            case .connectTimeout: .unreachable("connecting took too long", mayHaveArrived: false)
            case .tlsHandshakeTimeout: .unreachable("TLS took too long", mayHaveArrived: false)
            case .deadlineExceeded, .readTimeout: .unreachable("no answer in time", mayHaveArrived: true)
            default: .unreachable("the connection failed", mayHaveArrived: true)
            }
        case is NIOConnectionError: .unreachable("no connection", mayHaveArrived: false)
        case is SocketAddressError: .unreachable("its name was not found", mayHaveArrived: false)
        case is NIOSSLExtraError, NIOSSLError.handshakeFailed, NIOSSLError.unableToValidateCertificate,
            NIOSSLError.noCertificateToValidate:
            .unreachable("its certificate is not the one that is trusted", mayHaveArrived: false)
        default: .unreachable("the connection failed", mayHaveArrived: true)
        }
    }

    /// Looks at the certificate that a printer shows, for trust on first use: connects, notes it and sends nothing.
    public static func look(at address: PrinterAddress.IPP) async throws(IPPError) -> Pin {
        do {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.minimumTLSVersion = .tlsv12
            let context = try NIOSSLContext(configuration: tls)
            let loop = MultiThreadedEventLoopGroup.singleton.any()
            let seen = loop.makePromise(of: [UInt8].self)
            let name =
                address.host.contains(":") || address.host.allSatisfy { $0.isNumber || $0 == "." }
                ? nil : address.host
            let channel = ClientBootstrap(group: loop).connectTimeout(.seconds(4)).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(
                        context: context, serverHostname: name,
                        customVerificationCallback: { certificates, promise in
                            do {
                                guard let first = certificates.first else { throw NIOSSLError.noCertificateToValidate }
                                seen.succeed(try first.toDERBytes())
                            } catch { seen.fail(error) }
                            promise.succeed(.failed)
                        })
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }.connect(host: address.host, port: address.port)
            channel.whenFailure { seen.fail($0) }
            channel.whenSuccess { open in
                open.closeFuture.whenComplete { _ in seen.fail(ChannelError.eof) }
                loop.scheduleTask(in: .seconds(5)) { open.close(promise: nil) }
            }
            return Pin(certificate: try await seen.futureResult.get())
        } catch { throw .unreachable("it showed no certificate", mayHaveArrived: false) }
    }
}
