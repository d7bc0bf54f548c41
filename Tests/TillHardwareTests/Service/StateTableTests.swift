import Testing
import TillCore

@testable import TillHardware

/// Every command in every state: what it answers and where the service is afterwards.
@Suite struct StateTableTests {
    static let states = [
        "idle", "discovering", "connecting", "connected", "collecting", "confirming", "refunding", "updating",
        "reconnecting",
    ]

    /// A row for each command, a column for each state: the answer, and after `>` the state if it is another one.
    static let table: [(command: String, answers: [String])] = [
        (
            "start",
            [
                "ok>discovering", "ok", "reader_busy", "already_connected_to_reader", "reader_busy", "reader_busy",
                "reader_busy", "reader_busy", "reader_reconnecting",
            ]
        ),
        ("cancelDiscovery", ["ok", "ok>idle", "ok", "ok", "ok", "ok", "ok", "ok", "ok"]),
        (
            "connect",
            [
                "reader_not_found", "ok>connected", "reader_busy", "already_connected_to_reader", "reader_busy",
                "reader_busy", "reader_busy", "reader_busy", "reader_reconnecting",
            ]
        ),
        (
            "disconnect",
            [
                "not_connected_to_reader", "not_connected_to_reader", "ok>idle", "ok>idle", "ok>idle",
                "confirm_in_flight", "ok>idle", "reader_busy", "ok>idle",
            ]
        ),
        (
            "clear",
            [
                "ok", "ok>idle", "ok>idle", "already_connected_to_reader", "reader_busy", "reader_busy", "reader_busy",
                "reader_busy", "reader_reconnecting",
            ]
        ),
        (
            "collectPayment",
            [
                "not_connected_to_reader", "not_connected_to_reader", "reader_busy", "ok", "reader_busy",
                "reader_busy", "reader_busy", "reader_busy", "reader_reconnecting",
            ]
        ),
        (
            "retryActivePayment",
            [
                "no_active_payment_intent", "no_active_payment_intent", "no_active_payment_intent",
                "no_active_payment_intent", "reader_busy", "reader_busy", "reader_busy", "reader_busy",
                "no_active_payment_intent",
            ]
        ),
        (
            "cancelPayment",
            ["ok", "ok", "ok", "ok", "ok>connected", "confirm_in_flight", "ok", "ok", "ok"]
        ),
        (
            "collectPaymentMethod",
            [
                "not_connected_to_reader", "not_connected_to_reader", "reader_busy",
                "feature_not_available_with_connected_reader", "reader_busy", "reader_busy", "reader_busy",
                "reader_busy", "reader_reconnecting",
            ]
        ),
        ("waitForInsertedCardToBeRemoved", ["ok", "ok", "ok", "ok", "ok", "ok", "ok", "ok", "ok"]),
        (
            "refund",
            [
                "not_connected_to_reader", "not_connected_to_reader", "reader_busy", "ok", "reader_busy",
                "reader_busy", "reader_busy", "reader_busy", "reader_reconnecting",
            ]
        ),
        ("cancelRefund", ["ok", "ok", "ok", "ok", "ok", "ok", "ok>connected", "ok", "ok"]),
        (
            "installUpdate",
            [
                "not_connected_to_reader", "not_connected_to_reader", "reader_busy", "no_update_available",
                "reader_busy", "reader_busy", "reader_busy", "reader_busy", "reader_reconnecting",
            ]
        ),
        ("cancelUpdate", ["ok", "ok", "ok", "ok", "ok", "ok", "ok", "ok>connected", "ok"]),
        ("cancelReconnection", ["ok", "ok", "ok", "ok", "ok", "ok", "ok", "ok", "ok>idle"]),
        (
            "display",
            [
                "not_connected_to_reader", "not_connected_to_reader", "reader_busy",
                "feature_not_available_with_connected_reader", "reader_busy", "reader_busy", "reader_busy",
                "reader_busy", "reader_reconnecting",
            ]
        ),
    ]

    static let cases: [(command: String, state: String, answer: String)] = table.flatMap { row in
        zip(states, row.answers).map { (row.command, $0, $1) }
    }

    @Test(arguments: cases)
    func everyCommandInEveryState(command: String, state: String, answer: String) throws {
        try ReaderWorld().run { world in
            try await Self.enter(state, world)
            #expect(world.state == state)
            world.driver.customer(.pays(after: .seconds(1)))
            let begun = world.now
            let got = await Self.run(command, world)
            // No command waits longer than the longest thing that it does itself.
            #expect(world.now.since(begun) <= .seconds(60))
            let parts = answer.split(separator: ">").map(String.init)
            #expect(got == parts[0])
            #expect(world.state == (parts.count > 1 ? parts[1] : state))
            #expect(world.driver.overlaps.isEmpty)
        }
    }

    @Test func theTableIsComplete() {
        #expect(Self.cases.count == 16 * 9)
        #expect(Self.table.allSatisfy { $0.answers.count == 9 })
    }

    static func enter(_ state: String, _ world: ReaderWorld) async throws {
        let driver = world.driver
        switch state {
        case "idle": return
        case "discovering":
            try await world.service.start(world.config())
            await world.reaches(.discover)
            await world.pass(.milliseconds(10))
        case "connecting":
            driver.next(.connect, .hangs)
            world.start { world in try await world.connect() }
            await world.reaches(.connect)
        default: try await world.connect()
        }
        switch state {
        case "collecting":
            driver.customer(.neverComes)
            world.start { world in try await world.pay(world.parameters(order: "7")) }
            await world.reaches(.collect)
        case "confirming":
            driver.next(.confirm, .hangs)
            world.start { world in try await world.pay(world.parameters(order: "7")) }
            await world.reaches(.confirm)
        case "refunding":
            driver.customer(.neverComes)
            world.start { world in try await world.service.refund(refund("re-7", charge: "ch_7")) }
            await world.reaches(.refund)
        case "updating":
            await driver.say(.updateAvailable(CardReaderSoftwareUpdate(version: "2")))
            world.start { world in try await world.service.installUpdate() }
            await world.reaches(.installUpdate)
        case "reconnecting": await driver.say(.reconnecting(.securityReboot))
        default: break
        }
    }

    static func refund(
        _ key: String, charge: String, amount: Money = Money(minorUnits: 500, currency: .cad),
        account: AccountID = ReaderWorld.shop
    ) -> RefundParameters {
        RefundParameters(
            account: account, charge: ProviderReference(rawValue: charge), amount: amount,
            key: IdempotencyKey(rawValue: key))
    }

    static func run(_ command: String, _ world: ReaderWorld) async -> String {
        let service = world.service
        do throws(CardReaderServiceError) {
            switch command {
            case "start": try await service.start(world.config())
            case "cancelDiscovery": try await service.cancelDiscovery()
            case "connect": try await service.connect(ScriptedDriver.m2)
            case "disconnect": try await service.disconnect()
            case "clear": try await service.clear()
            case "collectPayment": _ = try await world.pay()
            case "retryActivePayment": _ = try await service.retryActivePayment(beforeConfirmation: world.hook)
            case "cancelPayment": try await service.cancelPayment()
            case "collectPaymentMethod": _ = try await service.collectPaymentMethod(world.parameters())
            case "waitForInsertedCardToBeRemoved": await service.waitForInsertedCardToBeRemoved()
            case "refund": _ = try await service.refund(refund("re-1", charge: "ch_1"))
            case "cancelRefund": try await service.cancelRefund()
            case "installUpdate": try await service.installUpdate()
            case "cancelUpdate": try await service.cancelUpdate()
            case "cancelReconnection": try await service.cancelReconnection()
            case "display": try await service.display(nil)
            default: return "no such command"
            }
            return "ok"
        } catch {
            return error.underlyingError.rawValue
        }
    }
}
