import NIOCore
import NIOPosix
import NIOSSL
import TillApplePay
import TillCore

/// A probe of a site's TLS. The certificate is examined, not trusted.
struct TLSProbe: Sendable {
    /// The result of a probe.
    struct Sight: Sendable {
        /// The negotiated version: the highest that both sides support.
        var version: TLSVersion?
        /// The certificate, if it can be read.
        var certificate: SiteCertificate?
        /// `true` if the site still accepts TLS 1.1 or older.
        var speaksOldVersions = false
    }

    /// The time limit of one connection.
    static let limit = Span.seconds(8)

    let host: String
    let port: Int
    /// The requested server name.
    let name: String

    /// Examines the site; returns `nil` if no connection was established.
    func examine() async -> Sight? {
        guard let first = await connect(upTo: nil) else { return nil }
        var sight = first
        if sight.version == .tlsv12 || sight.version == .tlsv13 {
            sight.speaksOldVersions = await connect(upTo: .tlsv11) != nil
        }
        return sight
    }

    private func connect(upTo version: TLSVersion?) async -> Sight? {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.minimumTLSVersion = .tlsv1
        if let version { configuration.maximumTLSVersion = version }
        guard let context = try? NIOSSLContext(configuration: configuration) else { return nil }
        let name = name
        let limit = TimeAmount.milliseconds(TLSProbe.limit.milliseconds)
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        try NIOSSLClientHandler(context: context, serverHostname: name))
                }
            }
        guard let channel = try? await bootstrap.connect(host: host, port: port).get() else { return nil }
        let timer = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
        defer {
            timer.cancel()
            channel.close(promise: nil)
        }
        do {
            // The write completes after the handshake; a site then waits for the rest of a request.
            try await channel.writeAndFlush(ByteBuffer(string: "H"))
            var sight = Sight()
            sight.version = try await channel.nioSSL_tlsVersion().get()
            let certificate = try await channel.nioSSL_peerCertificate().get()
            sight.certificate = (try certificate?.toDERBytes()).flatMap { SiteCertificate(der: $0) }
            return sight
        } catch {
            return nil
        }
    }
}
