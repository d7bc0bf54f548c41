import Crypto
import NIOCore
import NIOPosix
import NIOSSL
import TillCore

/// The one certificate that a printer must show. Printers make their own, so nobody signs for them: the first one that
/// is seen, or one that a person compared, is kept, and no other is taken later.
public struct PrinterPin: Hashable, Sendable {
    /// SHA-256 of the certificate in DER, 32 bytes.
    public let digest: [UInt8]
    /// As 64 hex digits: what people compare.
    public var fingerprint: String { Hex.lowercase(digest) }

    /// The pin of a certificate in DER.
    public init(certificate: [UInt8]) { digest = Array(SHA256.hash(data: certificate)) }

    private init(digest: [UInt8]) { self.digest = digest }

    /// What was kept: a digest, or a whole certificate in DER. `nil` if it is neither.
    public init?(kept bytes: [UInt8]) {
        if bytes.count == SHA256.byteCount {
            self.init(digest: bytes)
        } else if bytes.count > SHA256.byteCount {
            self.init(certificate: bytes)
        } else {
            return nil
        }
    }

    /// A fingerprint as people type it: 64 hex digits, with or without colons or spaces.
    public init?(parsing text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: " ") }
        guard digits.count == 2 * SHA256.byteCount, let bytes = Hex.decode(String(decoding: digits, as: UTF8.self))
        else { return nil }
        self.init(digest: bytes)
    }

    /// Reads the certificate that a printer shows, for trust on first use: connects, notes it and sends nothing.
    /// - Throws: ``IPPError/unreachable(_:mayHaveArrived:)`` if it shows none, or none in time: a slow printer
    ///   is not taken for one without a certificate.
    public static func observe(_ address: PrinterAddress.IPP) async throws(IPPError) -> PrinterPin {
        do {
            let loop = MultiThreadedEventLoopGroup.singleton.any()
            let seen = loop.makePromise(of: PrinterPin.self)
            let channel = ClientBootstrap(group: loop).connectTimeout(PrinterTLS.connecting).channelInitializer {
                channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try PrinterTLS.handler(for: address) { shown in
                        seen.succeed(shown)
                        return false
                    }
                    try channel.pipeline.syncOperations.addHandler(tls)
                }
            }.connect(host: address.host, port: address.port)
            channel.whenFailure { seen.fail($0) }
            channel.whenSuccess { open in
                open.closeFuture.whenComplete { _ in seen.fail(ChannelError.eof) }
                let timer = loop.scheduleTask(in: PrinterTLS.handshake) {
                    seen.fail(ChannelError.connectTimeout(PrinterTLS.handshake))
                    open.close(promise: nil)
                }
                seen.futureResult.whenComplete { _ in timer.cancel() }
            }
            return try await seen.futureResult.get()
        } catch is NIOConnectionError {
            throw .unreachable("no connection", mayHaveArrived: false)
        } catch ChannelError.connectTimeout {
            throw .unreachable("TLS took too long", mayHaveArrived: false)
        } catch { throw .unreachable("it showed no certificate", mayHaveArrived: false) }
    }
}

/// TLS with a verdict of ours on what the printer shows.
enum PrinterTLS {
    /// The longest that connecting may take.
    static let connecting = TimeAmount.seconds(4)
    /// The longest that a printer may take to show its certificate, after the connection.
    static let handshake = TimeAmount.seconds(20)

    /// A handler that asks for a verdict on the printer's own certificate and takes no other reason: neither who signed
    /// it nor the name in it counts.
    static func handler(
        for address: PrinterAddress.IPP, verdict: @escaping @Sendable (PrinterPin) -> Bool
    ) throws -> NIOSSLClientHandler {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        let isNumber = address.host.contains(":") || address.host.allSatisfy { $0.isNumber || $0 == "." }
        return try NIOSSLClientHandler(
            context: try NIOSSLContext(configuration: configuration), serverHostname: isNumber ? nil : address.host,
            customVerificationCallback: { certificates, promise in
                guard let bytes = try? certificates.first?.toDERBytes() else { return promise.succeed(.failed) }
                promise.succeed(verdict(PrinterPin(certificate: bytes)) ? .certificateVerified : .failed)
            })
    }
}
