import Foundation
import NIOSSL
import TillCore

/// A client that submits messages to a mail server (RFC 5321), each over its own connection. May be used from any task.
///
/// ```swift
///
/// guard let shop = EmailAddress("shop@example.com"), let customer = EmailAddress("ada@example.org") else { return }
/// let server = SMTPServer(host: "smtp.example.com", user: "shop", password: password)
/// let message = MailMessage(
///     from: shop, fromName: "Corner shop", to: customer, subject: "Your receipt", text: "12.50 EUR, paid in cash.",
///     html: "<p>12.50 EUR, paid in cash.</p>", identifier: "receipt-4711", date: SystemClock().now())
/// try await SMTPClient(server).send(message)
/// ```
///
/// There are no retries. The error distinguishes a message that was certainly not sent from one that may have been:
/// ``SMTPError/mayHaveBeenSent(host:reason:)`` is thrown only after the dot that ends the message may have left.
public struct SMTPClient: Sendable {
    private let server: SMTPServer

    /// Creates a client; opens no connection yet.
    public init(_ server: SMTPServer) { self.server = server }

    /// Sends a message within ``SMTPLimits``. On return, the server has accepted it.
    public func send(_ message: MailMessage) async throws(SMTPError) {
        let bytes = message.bytes
        guard bytes.count <= MailMessage.maximumBytes else { throw .letter(reason: "it is too long") }
        guard server.security != .none || Loopback.isHost(server.host) else { throw .notEncrypted(host: server.host) }
        let tls = try trust()
        let connection: SMTPConnection
        do throws(SMTPBreak) {
            connection = try await SMTPConnection.open(server, tls, isSecure: server.security == .tls)
        } catch { throw unsent(error) }
        do throws(SMTPError) {
            let greeting = try await begin(connection)
            try await signIn(connection, greeting)
            try await hand(bytes, message, greeting, connection)
        } catch {
            await connection.close()
            throw error
        }
        // The message is accepted; the end of the connection is irrelevant to it.
        do throws(SMTPBreak) {
            try await connection.send(Array("QUIT\r\n".utf8), within: .seconds(1))
            _ = try await connection.reply(within: .seconds(1))
        } catch {}
        await connection.close()
    }

    // MARK: The dialog

    /// Sends the greeting, and upgrades to TLS if configured.
    private func begin(_ connection: SMTPConnection) async throws(SMTPError) -> SMTPReply {
        let first: SMTPReply
        do throws(SMTPBreak) { first = try await connection.reply(within: server.limits.answer) } catch {
            throw unsent(error)
        }
        guard first.isPositive else { throw .refused(host: server.host, reply: first.shown) }
        let greeting = try await asked(connection, "EHLO [127.0.0.1]")
        guard server.security == .startTLS else { return greeting }
        guard greeting.parameters(of: "STARTTLS") != nil else { throw .notEncrypted(host: server.host) }
        _ = try await asked(connection, "STARTTLS")
        do throws(SMTPBreak) { try await connection.upgrade() } catch { throw unsent(error) }
        return try await asked(connection, "EHLO [127.0.0.1]")
    }

    private func signIn(_ connection: SMTPConnection, _ greeting: SMTPReply) async throws(SMTPError) {
        guard let user = server.user, let password = server.password else { return }
        let ways = greeting.parameters(of: "AUTH") ?? []
        let steps: [String]
        func code(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
        if ways.contains("PLAIN") {
            steps = ["AUTH PLAIN \(code("\0\(user)\0\(password.reveal())"))"]
        } else if ways.contains("LOGIN") {
            steps = ["AUTH LOGIN", code(user), code(password.reveal())]
        } else {
            throw .signIn(host: server.host, reply: "it offers neither PLAIN nor LOGIN")
        }
        for (index, step) in steps.enumerated() {
            let reply = try await answer(connection, step)
            guard index + 1 < steps.count ? reply.isIntermediate : reply.isPositive else {
                throw .signIn(host: server.host, reply: "\(reply.code)")
            }
        }
    }

    private func hand(
        _ bytes: [UInt8], _ message: MailMessage, _ greeting: SMTPReply, _ connection: SMTPConnection
    ) async throws(SMTPError) {
        if let most = greeting.parameters(of: "SIZE")?.first.flatMap({ Int($0) }), most > 0, bytes.count > most {
            throw .letter(reason: "it is longer than the \(most) bytes that \(server.host) takes")
        }
        _ = try await asked(connection, "MAIL FROM:<\(message.from.text)>")
        _ = try await asked(connection, "RCPT TO:<\(message.to.text)>")
        let reply = try await answer(connection, "DATA")
        guard reply.isIntermediate else { throw .refused(host: server.host, reply: reply.shown) }
        do throws(SMTPBreak) {
            try await connection.send(SMTPClient.stuffed(bytes), within: server.limits.body)
        } catch { throw unsent(error) }
        // From here on the message may be accepted, whatever is received.
        let last: SMTPReply
        do throws(SMTPBreak) {
            try await connection.send(Array(".\r\n".utf8), within: server.limits.body)
            last = try await connection.reply(within: server.limits.end)
        } catch { throw .mayHaveBeenSent(host: server.host, reason: error.words) }
        guard last.isPositive else { throw .refused(host: server.host, reply: last.shown) }
    }

    /// Doubles the dot at the beginning of a line, so that no line ends the message.
    static func stuffed(_ bytes: [UInt8]) -> [UInt8] {
        var stuffed: [UInt8] = []
        stuffed.reserveCapacity(bytes.count)
        var isLineStart = true
        for byte in bytes {
            if isLineStart, byte == UInt8(ascii: ".") { stuffed.append(byte) }
            stuffed.append(byte)
            isLineStart = byte == 0x0A
        }
        return stuffed
    }

    /// Sends a command that requires a positive reply, and returns the reply.
    private func asked(_ connection: SMTPConnection, _ command: String) async throws(SMTPError) -> SMTPReply {
        let reply = try await answer(connection, command)
        guard reply.isPositive else { throw .refused(host: server.host, reply: reply.shown) }
        return reply
    }

    private func answer(_ connection: SMTPConnection, _ command: String) async throws(SMTPError) -> SMTPReply {
        do throws(SMTPBreak) {
            try await connection.send(Array((command + "\r\n").utf8), within: server.limits.answer)
            return try await connection.reply(within: server.limits.answer)
        } catch { throw unsent(error) }
    }

    private func unsent(_ reason: SMTPBreak) -> SMTPError {
        reason == .certificate
            ? .certificate(host: server.host) : .unreachable(host: server.host, reason: reason.words)
    }

    /// Returns the trust roots for the server's certificate.
    private func trust() throws(SMTPError) -> SMTPConnection.TLS {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let file = server.authorityFile { configuration.trustRoots = .file(file) }
        let isNumber = server.host.contains(":") || server.host.allSatisfy { $0.isNumber || $0 == "." }
        do {
            return SMTPConnection.TLS(
                context: try NIOSSLContext(configuration: configuration), serverName: isNumber ? nil : server.host)
        } catch { throw .letter(reason: "the authorities in smtp.authority_file cannot be read") }
    }
}
