import NIOCore
import NIOPosix
import NIOSSL
import TillApplePay
import TillCore

/// How a site answers over TLS: whatever it shows is examined, not believed.
struct TLSProbe: Sendable {
    /// What a site showed.
    struct Sight: Sendable {
        /// The version that was agreed on: the highest that both sides have.
        var version: TLSVersion?
        /// Its certificate, if it can be read.
        var certificate: SiteCertificate?
        /// It still speaks TLS 1.1 or older with those who ask for that.
        var speaksOldVersions = false
    }

    /// How long one connection may take.
    static let limit = Span.seconds(8)

    let host: String
    let port: Int
    /// The name that is asked for.
    let name: String

    /// Examines the site; `nil` if no connection came about.
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
            // What is written leaves when the handshake is done; a site waits for the rest of a request.
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
