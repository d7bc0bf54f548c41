import TillCore
import TillFeatureWebhooks

/// Hands messages to the program under test, each until it has taken it or the last attempt has failed.
struct ListenForwarder: Sendable {
    let url: WebhookURL
    let secret: WebhookSecret
    let transport: any WebhookTransport
    let clock: any TillClock
    /// Reports a failed attempt that another one follows.
    let note: @Sendable (String) -> Void

    /// The end of a message.
    struct Outcome: Sendable {
        let answer: Result<WebhookAnswer, WebhookFailure>
        let attempts: Int

        /// The status of the last answer; `nil` without one.
        var status: Int? { (try? answer.get())?.status }
        var isTaken: Bool { (try? answer.get())?.isSuccess ?? false }

        /// The beginning of the last answer, or the reason that there was none.
        var note: String {
            switch answer {
            case .success(let answer):
                ProviderText.line(String(decoding: answer.body, as: UTF8.self), atMost: ListenLimits.excerptBytes)
            case .failure(let failure): failure.description
            }
        }

        /// `true` if the program was down, so that the same message may be taken a moment later. A refusal would be one
        /// again.
        fileprivate var isDown: Bool { status.map { $0 == 429 || $0 >= 500 } ?? true }
    }

    /// Sends a message, at most once more than there are ``ListenLimits/waits``.
    func send(_ body: [UInt8], id: WebhookMessageID) async -> Outcome {
        var attempts = 0
        while true {
            let outcome = Outcome(answer: await attempt(body, id: id, attempts), attempts: attempts + 1)
            guard outcome.isDown, attempts < ListenLimits.waits.count else { return outcome }
            let wait = ListenLimits.waits[attempts]
            attempts += 1
            let what = outcome.status.map { "The program answered \($0)." } ?? outcome.note
            note(
                "\(id): \(what) It is sent again in \(wait.milliseconds / 1_000) s (\(attempts) of "
                    + "\(ListenLimits.waits.count)).")
            guard await clock.pause(for: wait) else { return outcome }
        }
    }

    private func attempt(
        _ body: [UInt8], id: WebhookMessageID, _ attempts: Int
    ) async -> Result<WebhookAnswer, WebhookFailure> {
        do throws(WebhookFailure) {
            return .success(
                try await transport.post(
                    body, to: url,
                    fields: WebhookHeaders.fields(id: id.rawValue, at: clock.now(), body: body, secrets: [secret]),
                    allowsPrivate: true, attempt: attempts))
        } catch { return .failure(error) }
    }
}
