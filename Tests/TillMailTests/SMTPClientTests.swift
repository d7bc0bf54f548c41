import Foundation
import NIOCore
import NIOPosix
import Testing
import TillCore

@testable import TillMail

/// A mail server that answers what it is told to, and nothing more.
private final class ScriptedServer: Sendable {
    let channel: any Channel
    var port: Int { channel.localAddress?.port ?? 0 }

    init(_ answers: [String]) async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answers(answers))
                }
            }.bind(host: "127.0.0.1", port: 0).get()
    }

    private final class Answers: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var answers: ArraySlice<String>
        private var isLetter = false

        init(_ answers: [String]) { self.answers = answers[...] }

        func channelActive(context: ChannelHandlerContext) { next(context) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let words = String(buffer: unwrapInboundIn(data))
            if isLetter {
                guard words.hasSuffix("\r\n.\r\n") || words == ".\r\n" else { return }
            }
            isLetter = words == "DATA\r\n"
            next(context)
        }

        private func next(_ context: ChannelHandlerContext) {
            guard let answer = answers.popFirst() else { return }
            context.writeAndFlush(NIOAny(ByteBuffer(string: answer)), promise: nil)
        }
    }
}

@Suite("Silence of a mail server")
struct SMTPClientTests {
    private static let talk = [
        "220 mail\r\n", "250 mail\r\n", "250 ok\r\n", "250 ok\r\n", "354 go\r\n", "250 taken\r\n", "221 bye\r\n",
    ]

    /// Only silence that is expected is waited for briefly: the rest may take as long as a busy machine needs.
    private func outcome(after count: Int) async throws -> SMTPError? {
        let listener = try await ScriptedServer(Array(SMTPClientTests.talk.prefix(count)))
        var server = SMTPServer(host: "127.0.0.1", port: listener.port, security: .none)
        server.limits.answer = count < 5 ? .seconds(3) : .minutes(5)
        server.limits.end = count == 5 ? .seconds(3) : .minutes(5)
        let letter = MailMessage(
            from: try #require(EmailAddress("shop@shop.example")), fromName: "Tea",
            to: try #require(EmailAddress("ada@example.com")), subject: "Receipt", text: "Hello", html: "<p>Hello</p>",
            identifier: "m1", date: Timestamp(milliseconds: 0))
        defer { listener.channel.close(promise: nil) }
        do throws(SMTPError) {
            try await SMTPClient(server).send(letter)
            return nil
        } catch { return error }
    }

    @Test("before the letter's end it is certainly not sent", arguments: 0..<5)
    func before(count: Int) async throws {
        #expect(
            try await outcome(after: count) == .unreachable(host: "127.0.0.1", reason: "gave no answer in time"))
    }

    @Test("after its end it may have been sent, and with the last answer it was")
    func after() async throws {
        #expect(
            try await outcome(after: 5) == .mayHaveBeenSent(host: "127.0.0.1", reason: "gave no answer in time"))
        #expect(try await outcome(after: 6) == nil)
        #expect(try await outcome(after: 7) == nil)
    }

    @Test("a port where nobody listens is said, and a server elsewhere gets nothing in clear")
    func nobody() async throws {
        let letter = MailMessage(
            from: try #require(EmailAddress("shop@shop.example")), fromName: "",
            to: try #require(EmailAddress("a@b.c")),
            subject: "", text: "", html: "", identifier: "", date: Timestamp(milliseconds: 0))
        await #expect(throws: SMTPError.unreachable(host: "127.0.0.1", reason: "cannot be reached")) {
            try await SMTPClient(SMTPServer(host: "127.0.0.1", port: 1, security: .none)).send(letter)
        }
        await #expect(throws: SMTPError.notEncrypted(host: "mail.example")) {
            try await SMTPClient(SMTPServer(host: "mail.example", security: .none)).send(letter)
        }
    }
}
