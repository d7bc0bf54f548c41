package import Hummingbird
import HTTPTypes
import NIOCore
package import TillCore
import TillCounter
import TillJournal

/// Streams of server-sent events: their number, their signals, and their end with the caller's credential.
package struct EventStreams: Sendable {
    /// The polling interval without a signal.
    package static let interval = Span.seconds(1)
    /// The number of polls without news after which a comment keeps the connection open.
    static let pollsPerHeartbeat = 15

    /// Returns the text for a signal; empty for no news. Longer news are written by the caller in pieces.
    package typealias News =
        @Sendable (EventFeed.Signal, inout any ResponseBodyWriter) async throws -> String

    private let feed: EventFeed
    private let clock: any TillClock
    private let authenticator: RequestAuthenticator
    private let maximumStreams: Int
    /// The counter's account.
    private let owner: AccountID

    package init(
        feed: EventFeed, clock: any TillClock, authenticator: RequestAuthenticator, maximumStreams: Int,
        owner: AccountID
    ) {
        (self.feed, self.clock, self.authenticator) = (feed, clock, authenticator)
        (self.maximumStreams, self.owner) = (maximumStreams, owner)
    }

    /// Opens a stream, which lasts until the client leaves or its credential ends.
    /// - Parameters:
    ///   - tick: called at each poll.
    ///   - news: called for each signal, the first of which comes immediately.
    package func response(
        to incoming: Incoming, tick: @escaping @Sendable () async -> Void = {}, news: @escaping News
    ) async throws -> Response {
        guard
            let listener = feed.listen(
                incoming.account, credential: incoming.credential, share: incoming.share, atMost: maximumStreams,
                owner: owner)
        else {
            throw Problem(
                .tooManyRequests, "too_many_streams", "Too many streams of events are open.", next: "Close another one."
            ).retrying(after: 5)
        }
        // A credential revoked during setup is not in the feed yet when its streams are ended.
        if let credential = incoming.credential, try await !authenticator.isInForce(credential) {
            feed.stop(listener.id)
            throw Problem.unauthorized
        }
        // Events between that position and now are reported immediately.
        listener.tick()
        let (clock, feed) = (clock, feed)
        let body = ResponseBody { writer in
            let ticker = Task {
                while !Task.isCancelled {
                    try await clock.sleep(for: EventStreams.interval)
                    listener.tick()
                    if let session = incoming.credential?.session, await isOver(session) {
                        feed.stop(listener.id)
                        return
                    }
                    await tick()
                }
            }
            defer {
                ticker.cancel()
                feed.stop(listener.id)
            }
            try await run(listener.signals, news, &writer)
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
    }

    /// Returns `true` if a page session has ended or is locked; streams of keys are ended by `KeyWatch`. A session
    /// that cannot be checked at the moment stays open.
    private func isOver(_ session: [UInt8]) async -> Bool {
        do throws(JournalError) { return try await !authenticator.isInForce(.session(hash: session)) } catch {
            return false
        }
    }

    private func run(
        _ signals: AsyncStream<EventFeed.Signal>, _ news: News, _ writer: inout any ResponseBodyWriter
    ) async throws {
        var quietPolls = 0
        try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
        for await signal in signals {
            var text = try await news(signal, &writer)
            quietPolls = text.isEmpty ? quietPolls + 1 : 0
            if quietPolls >= EventStreams.pollsPerHeartbeat {
                quietPolls = 0
                text = ": still here\n\n"
            }
            if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
        }
    }
}
