import Crypto
import NIOCore
import NIOPosix
import NIOSSL
import TillCore

/// The one certificate that a printer must present. Printers sign their own, so the first certificate seen, or one
/// compared by a person, is pinned, and no other is accepted later.
///
/// ```swift
/// guard case .ipp(let address) = try PrinterAddress(parsing: "ipps://printer.local/ipp/print") else { return }
/// let pin = try await PrinterPin.observe(address)
/// print("The printer's own page should show \(pin.fingerprint).")
/// let printer = ReceiptPrinter(.ipp(address), access: ReceiptPrinter.Access(pin: pin))
/// ```
public struct PrinterPin: Hashable, Sendable {
    /// SHA-256 of the certificate in DER, 32 bytes.
    public let digest: [UInt8]
    /// The digest as 64 hex digits, for comparison by people.
    public var fingerprint: String { Hex.lowercase(digest) }

    /// Creates the pin of a certificate in DER.
    public init(certificate: [UInt8]) { digest = Array(SHA256.hash(data: certificate)) }

    private init(digest: [UInt8]) { self.digest = digest }

    /// Takes stored bytes: a digest, or a whole certificate in DER. `nil` if they are neither.
    public init?(kept bytes: [UInt8]) {
        if bytes.count == SHA256.byteCount {
            self.init(digest: bytes)
        } else if bytes.count > SHA256.byteCount {
            self.init(certificate: bytes)
        } else {
            return nil
        }
    }

    /// Parses a fingerprint as typed by people: 64 hex digits, with or without colons or spaces.
    public init?(parsing text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: " ") }
        guard digits.count == 2 * SHA256.byteCount, let bytes = Hex.decode(String(decoding: digits, as: UTF8.self))
        else { return nil }
        self.init(digest: bytes)
    }

    /// Reads the certificate that a printer presents, for trust on first use: connects, records it and sends nothing.
    /// - Throws: ``IPPError/unreachable(_:mayHaveArrived:)`` if it presents none, or none in time: a slow printer is
    ///   not mistaken for one without a certificate.
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

/// TLS with a custom verdict on the printer's certificate.
enum PrinterTLS {
    /// The time limit for connecting.
    static let connecting = TimeAmount.seconds(4)
    /// The time limit for the printer to present its certificate, after connecting.
    static let handshake = TimeAmount.seconds(20)

    /// Returns a handler that asks `verdict` about the printer's own certificate and ignores everything else: neither
    /// its signer nor the name in it counts.
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
