import Crypto
import Foundation
package import Logging
package import NIOSSL
import ServiceLifecycle
import Synchronization
public import TillCore
public import TillCounter

/// The certificate of every listener, and its key. The files are polled: a change takes effect with the next
/// connection, and unusable files change nothing.
public final class TLSIdentity: Sendable {
    /// The polling interval.
    package static let interval = Span.seconds(5)
    /// The maximum size of a file in bytes.
    public static let maximumBytes = 1 << 20
    /// The TLS 1.2 cipher suites: forward secrecy and authenticated encryption. TLS 1.3 has no others.
    private static let suites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    private struct Loaded: Sendable {
        let context: NIOSSLContext
        let expires: Timestamp
        let digest: [UInt8]
    }

    private struct State {
        var loaded: Loaded
        /// The digest of the last refused files, and the error.
        var refused: (digest: [UInt8], problem: TLSFilesError)?
    }

    private let files: TLSFiles
    private let state: Mutex<State>

    /// Reads the certificate and key from their files.
    public init(_ files: TLSFiles, at now: Timestamp) throws(TLSFilesError) {
        self.files = files
        state = Mutex(State(loaded: try TLSIdentity.load(files, TLSIdentity.read(files), at: now)))
    }

    /// The TLS context for new connections.
    package var context: NIOSSLContext { state.withLock { $0.loaded.context } }

    /// The expiry of the current certificate.
    package var expires: Timestamp { state.withLock { $0.loaded.expires } }

    /// The error of the current files if they are not in use; `nil` if they are.
    package var problem: TLSFilesError? { state.withLock { $0.refused?.problem } }

    /// The effect of a change of the files.
    package enum Change: Sendable {
        case replaced(until: Timestamp)
        case refused(TLSFilesError)
    }

    /// Reloads the files.
    /// - Returns: The change; `nil` if there is none, also if the files are still the refused ones.
    func refresh(at now: Timestamp) -> Change? {
        let read: Result<(certificate: [UInt8], key: [UInt8], digest: [UInt8]), TLSFilesError>
        do throws(TLSFilesError) { read = .success(try TLSIdentity.read(files)) } catch { read = .failure(error) }
        let digest: [UInt8] = if case .success(let bytes) = read { bytes.digest } else { [] }
        let isKnown = state.withLock { state in
            if digest == state.loaded.digest {
                state.refused = nil
                return true
            }
            return state.refused?.digest == digest
        }
        guard !isKnown else { return nil }
        do throws(TLSFilesError) {
            let loaded = try TLSIdentity.load(files, try read.get(), at: now)
            // An expired certificate is accepted at startup only, when there is none to keep.
            guard loaded.expires > now else { throw .ended(files.certificate, loaded.expires) }
            state.withLock { state in
                state.loaded = loaded
                state.refused = nil
            }
            return .replaced(until: loaded.expires)
        } catch {
            state.withLock { $0.refused = (digest, error) }
            return .refused(error)
        }
    }

    private static func read(
        _ files: TLSFiles
    ) throws(TLSFilesError) -> (certificate: [UInt8], key: [UInt8], digest: [UInt8]) {
        let (certificate, key) = (
            try bytes(files.certificate, "certificate", .open), try bytes(files.key, "certificate's key", .secret)
        )
        var hash = SHA256()
        hash.update(data: certificate)
        hash.update(data: Array(SHA256.hash(data: key)))
        return (certificate, key, Array(hash.finalize()))
    }

    private static func bytes(
        _ path: String, _ what: String, _ content: TrustedFile.Content
    ) throws(TLSFilesError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(UntrustedFile) {
            bytes = try TrustedFile.read(path, what, limit: maximumBytes, content: content)
        } catch { throw error.isDistrusted ? .untrusted(error) : .unreadable(path) }
        guard !bytes.isEmpty else { throw .unreadable(path) }
        return bytes
    }

    private static func load(
        _ files: TLSFiles, _ read: (certificate: [UInt8], key: [UInt8], digest: [UInt8]), at now: Timestamp
    ) throws(TLSFilesError) -> Loaded {
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMBytes(read.certificate) } catch {
            throw .noCertificate(files.certificate)
        }
        guard let own = chain.first else { throw .noCertificate(files.certificate) }
        let key: NIOSSLPrivateKey
        do { key = try NIOSSLPrivateKey(bytes: read.key, format: .pem) } catch { throw .noKey(files.key) }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = suites
        configuration.applicationProtocols = ["http/1.1"]
        do {
            return Loaded(
                context: try NIOSSLContext(configuration: configuration),
                expires: Timestamp(milliseconds: Int64(own.notValidAfter).multipliedReportingOverflow(by: 1000).0),
                digest: read.digest)
        } catch { throw .mismatch(files.certificate, files.key) }
    }
}

/// An error in a certificate or its key.
public enum TLSFilesError: ExplainedError, Hashable {
    case unreadable(String)
    case noCertificate(String)
    case noKey(String)
    /// The key does not match the certificate.
    case mismatch(String, String)
    /// The certificate has expired.
    case ended(String, Timestamp)
    /// One of the files is writable by other users, or the key is readable by them.
    case untrusted(UntrustedFile)
    /// One of the two files is configured without the other.
    case incomplete(missing: String)

    public var code: String {
        if case .untrusted(let file) = self { file.code } else { "tls_files" }
    }

    public var what: String {
        switch self {
        case .unreadable(let path): "\(path) cannot be read, is empty, or is longer than 1 MiB."
        case .noCertificate(let path): "\(path) has no certificate in PEM."
        case .noKey(let path): "\(path) has no private key in PEM without a password."
        case .mismatch(let certificate, let key): "The key in \(key) is not that of the certificate in \(certificate)."
        case .ended(let path, let end): "The certificate in \(path) expired on \(end)."
        case .untrusted(let file): file.what
        case .incomplete(let missing): "\(missing) is not set: a certificate and its key go together."
        }
    }

    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        switch self {
        case .untrusted(let file): file.next
        case .incomplete: "Set both, or neither."
        default: "Put a certificate and its key in place; a running counter loads them by itself."
        }
    }
}

/// Polls the files while the counter runs.
package struct TLSIdentityService: Service {
    package let identity: TLSIdentity
    package let clock: any TillClock
    package let logger: Logger

    package init(identity: TLSIdentity, clock: any TillClock, logger: Logger) {
        (self.identity, self.clock, self.logger) = (identity, clock, logger)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while await clock.pause(for: TLSIdentity.interval) {
                switch identity.refresh(at: clock.now()) {
                case .replaced(let end): logger.notice("A new certificate is shown, until \(end).")
                case .refused(let error): logger.error("The certificate is not replaced. \(error.what) \(error.next)")
                case nil: break
                }
            }
        }
    }
}
