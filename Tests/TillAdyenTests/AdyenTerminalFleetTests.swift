import HTTPTypes
import Synchronization
import Testing
import TillCore
import TillHardware
import TillProvider

@testable import TillAdyen

@Suite("A terminal of Adyen's among the counter's readers", .timeLimit(.minutes(30)))
struct AdyenTerminalFleetTests {
    /// A terminal at which the customer takes for ever: it answers a payment only once that is canceled.
    private final class Patient: HTTPTransport {
        private let aborted = Mutex(false)
        /// Whether the counter hears the answer to an abort.
        let answersAborts: Bool

        init(answersAborts: Bool = true) { self.answersAborts = answersAborts }

        func send(
            _ request: HTTPRequest, body: [UInt8], deadline: Span
        ) async throws(TransportFailure) -> HTTPReply {
            guard let asked = (try? JSONValue(parsing: body))?["SaleToPOIRequest"],
                let header = asked["MessageHeader"], let category = header["MessageCategory"]?.stringValue
            else { throw .unknown(reason: "no message") }
            if category == "Abort" {
                aborted.withLock { $0 = true }
                guard answersAborts else { throw .unknown(reason: "no answer") }
            }
            if category == "Payment" {
                while !aborted.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(2)) }
            }
            let text =
                "{\"SaleToPOIResponse\":{\"MessageHeader\":\(String(decoding: header.bytes(), as: UTF8.self)),"
                + "\"\(category)Response\":{\"Response\":{\"Result\":\"Failure\",\"ErrorCondition\":\"Aborted\"}}}}"
            return HTTPReply(response: HTTPResponse(status: .ok), body: Array(text.utf8))
        }
    }

    private func provider(answersAborts: Bool = true) throws -> AdyenTerminalProvider {
        AdyenTerminalProvider(
            terminal: try #require(
                AdyenTerminal(
                    terminal: "V400m-1", till: "Till", url: "http://127.0.0.1:1", seal: nil,
                    transport: Patient(answersAborts: answersAborts))),
            checkout: nil)
    }

    @Test("is found by its name in any case, is of its model, and needs no name")
    func found() async throws {
        let fleet = AdyenTerminalFleet(terminal: try provider())
        let reader = try await fleet.reader(named: "v400M-1")
        #expect(reader == CounterReader(id: "V400m-1", label: "V400m-1", deviceType: "V400m"))
        #expect(fleet.standing == reader)
        #expect(!fleet.capturesLater && !fleet.asksForTips)
        await #expect(throws: ReaderError.notFound("other")) { try await fleet.reader(named: "other") }
    }

    @Test("is busy while a customer is there, can be canceled, and tells both")
    func calledOff() async throws {
        let provider = try provider()
        let fleet = AdyenTerminalFleet(terminal: provider)
        do throws(ReaderError) {
            _ = try await fleet.cancel("V400m-1")
            Issue.record("nobody waited there")
        } catch { #expect(error.code == "reader_not_waiting") }

        var steps = fleet.steps().makeAsyncIterator()
        let sale = Task {
            await provider.authorize(AdyenTerminalProviderTests.request(1250), with: provider.tender)
        }
        #expect(await steps.next()?.event.type == .waitingForInput)
        #expect(try await fleet.reader(named: "V400m-1").isBusy)
        _ = try await fleet.cancel("V400m-1")
        guard case .declined(let decline) = await sale.value else {
            Issue.record("it was canceled")
            return
        }
        #expect(decline.reason == .canceledAtReader)
        #expect(await steps.next()?.event.type == .canceled)
        #expect(try await !fleet.reader(named: "V400m-1").isBusy)
    }

    @Test("is canceled when the counter ends, so that the end waits for no customer")
    func ended() async throws {
        let provider = try provider()
        let fleet = AdyenTerminalFleet(terminal: provider)
        var steps = fleet.steps().makeAsyncIterator()
        let sale = Task {
            await provider.authorize(AdyenTerminalProviderTests.request(1250), with: provider.tender)
        }
        _ = await steps.next()
        #expect(await fleet.cancelWaiting().isEmpty)
        guard case .declined = await sale.value else {
            Issue.record("it was canceled")
            return
        }
    }

    @Test("is named when the counter ends and does not hear that it was canceled: a card may still be charged there")
    func left() async throws {
        let provider = try provider(answersAborts: false)
        let fleet = AdyenTerminalFleet(terminal: provider)
        var steps = fleet.steps().makeAsyncIterator()
        let sale = Task {
            await provider.authorize(AdyenTerminalProviderTests.request(1250), with: provider.tender)
        }
        _ = await steps.next()
        #expect(await fleet.cancelWaiting() == ["V400m-1"])
        _ = await sale.value
    }
}
