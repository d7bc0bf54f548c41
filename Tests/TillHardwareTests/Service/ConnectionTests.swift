import Testing
import TillCore

@testable import TillHardware

@Suite struct ConnectionTests {
    @Test func theNewestObjectOfADiscoveryIsConnected() throws {
        try ReaderWorld().run { world in
            var newer = ScriptedDriver.m2
            newer.battery = CardReaderBattery(percent: 55)
            let both = [ScriptedDriver.m2, newer]
            world.driver.set { $0.devices = both }
            try await world.connect()
            #expect(world.service.connectedReaders.current?.first?.battery?.percent == 55)
            #expect(world.service.discoveredReaders.current?.count == 1)
        }
    }

    @Test func aReaderOfAnEarlierDiscoveryIsNotConnected() throws {
        try ReaderWorld().run { world in
            try await world.service.start(world.config())
            await world.reaches(.discover)
            await world.pass(.milliseconds(10))
            world.driver.set { $0.devices = [] }
            try await world.service.start(world.config())
            await world.reaches(.discover)
            let error = await #expect(throws: CardReaderServiceError.self) {
                try await world.service.connect(ScriptedDriver.m2)
            }
            #expect(error?.underlyingError == .readerNotFound)
        }
    }

    @Test func aDiscoveryEndsByItselfAfterItsTime() throws {
        try ReaderWorld().run { world in
            try await world.service.start(world.config())
            await world.pass(.minutes(6))
            #expect(world.state == "idle")
            #expect(
                world.service.discoveryStatus.current
                    == .fault(CardReaderServiceError(.discovery, .discoveryTimedOut)))
            #expect(world.driver.calls(.cancelDiscovery) == 1)
        }
    }

    @Test(arguments: [
        ("EMPTY", UnderlyingError.connectionTokenMissing), ("throws", .connectionTokenFailed),
        ("never", .connectionTokenTimedOut), ("address", .incompleteStoreAddress),
    ])
    func aBadConnectionTokenIsKnownAtOnce(kind: String, why: UnderlyingError) throws {
        try ReaderWorld().run { world in
            struct NoAccess: Error { let secret = "sk_live_x" }
            let config = ScriptedConfig(account: ReaderWorld.shop) {
                switch kind {
                case "throws": throw NoAccess()
                case "address": throw CardReaderConfigError.incompleteStoreAddress(adminURL: nil)
                case "never": await world.pass(.hours(2))
                default: break
                }
                return kind
            }
            let begun = world.now
            let error = await #expect(throws: CardReaderServiceError.self) { try await world.service.start(config) }
            #expect(error?.interaction == .discovery)
            #expect(error?.underlyingError == why)
            #expect("\(String(describing: error))".contains("sk_live") == false)
            #expect(world.now.since(begun) <= .seconds(60))
            #expect(world.state == "idle")
            #expect(world.driver.calls(.discover) == 1 || world.driver.calls(.discover) == 0)
            try await world.service.start(world.config())
        }
    }

    @Test func aReaderOfAnotherPlaceIsRefused() throws {
        try ReaderWorld().run { world in
            let there = CardReader(serial: "E-1", readerType: .wisePosE, locationID: "tml_there")
            world.driver.set { $0.devices = [there] }
            try await world.service.start(ScriptedConfig(account: ReaderWorld.shop, place: "tml_here"))
            await world.reaches(.discover)
            await world.pass(.milliseconds(10))
            let error = await #expect(throws: CardReaderServiceError.self) { try await world.service.connect(there) }
            #expect(error?.underlyingError == .invalidLocation)
            #expect(world.state == "idle")
        }
    }

    @Test func aConnectionThatTakesTooLongIsGivenUpAndLetGo() throws {
        try ReaderWorld().run { world in
            world.driver.next(.connect, .hangs)
            let error = await #expect(throws: CardReaderServiceError.self) { try await world.connect() }
            #expect(error?.underlyingError == .connectTimedOut)
            #expect(world.driver.calls(.disconnect) == 1)
            #expect(world.state == "idle")
        }
    }

    @Test func anUpdateThatIsRequiredWhileConnectingHasItsOwnTime() throws {
        try ReaderWorld().run { world in
            world.driver.next(.connect, .after(.minutes(10)))
            let updates = world.service.softwareUpdateEvents.subscribe()
            let connecting = world.start { world in try await world.connect() }
            await world.reaches(.connect)
            await world.driver.say(.updateStarted(isCancelable: false))
            await world.driver.say(.updateProgress(40))
            try await connecting.value
            #expect(world.state == "connected")
            var seen: [CardReaderSoftwareUpdateState] = []
            for await update in updates {
                seen.append(update)
                if update == .installing(percent: 40) { break }
            }
            #expect(seen.contains(.started(isCancelable: false)))
        }
    }

    @Test func anUpdateThatFailsWhileConnectingIsAnUpdateErrorWithTheBattery() throws {
        try ReaderWorld().run { world in
            var details = CardReaderErrorDetails()
            details.providerCode = .sdk(2650)
            world.driver.next(
                .connect, .fail(CardReaderFailure(.readerSoftwareUpdateFailedBatteryLow, details: details)))
            let error = await #expect(throws: CardReaderServiceError.self) { try await world.connect() }
            #expect(error?.interaction == .softwareUpdate)
            #expect(error?.details.batteryPercent == 80)
            #expect(error?.details.requiredBatteryPercent == 50)
            #expect(error?.details.providerCode == .sdk(2650))
        }
    }

    @Test(arguments: [49, 50])
    func anUpdateNeedsHalfABattery(percent: Int) throws {
        try ReaderWorld().run { world in
            try await world.connect()
            var reader = ScriptedDriver.m2
            reader.battery = CardReaderBattery(percent: percent, isCharging: true)
            await world.driver.say(.changed(reader))
            await world.driver.say(.updateAvailable(CardReaderSoftwareUpdate(version: "2")))
            guard percent < 50 else {
                try await world.service.installUpdate()
                #expect(world.service.softwareUpdateEvents.current == .completed)
                let none = await #expect(throws: CardReaderServiceError.self) {
                    try await world.service.installUpdate()
                }
                #expect(none?.underlyingError == .noUpdateAvailable)
                return
            }
            let error = await #expect(throws: CardReaderServiceError.self) { try await world.service.installUpdate() }
            #expect(error?.underlyingError == .readerSoftwareUpdateFailedBatteryLow)
            #expect(error?.details.batteryPercent == 49)
            #expect(error?.details.requiredBatteryPercent == 50)
            #expect(error?.what.contains("49 %") == true)
            #expect(world.driver.calls(.installUpdate) == 0)
        }
    }

    @Test func everyBatteryLevelIsPublished() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            let lists = world.service.connectedReaders.subscribe()
            let events = world.service.readerEvents.subscribe()
            for percent in [60, 20, 19, 40] {
                var reader = ScriptedDriver.m2
                reader.battery = CardReaderBattery(percent: percent)
                await world.driver.say(.changed(reader))
            }
            var levels: [Int] = []
            for await list in lists {
                levels.append(list.first?.battery?.percent ?? -1)
                if levels.last == 40 { break }
            }
            // The note that the battery is low is not a change of the reader.
            #expect(levels == [80, 60, 20, 19, 40])
            var seen: [CardReaderEventType] = []
            for await event in events {
                seen.append(event.type)
                if seen.count == 2 { break }
            }
            #expect(seen == [.lowBattery, .lowBatteryResolved])
        }
    }

    @Test func clearReallyClears() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.next(.confirm, .hangs)
            world.driver.always(.retrieveIntent, .fail(CardReaderFailure(.notConnectedToInternet)))
            _ = await #expect(throws: CardReaderServiceError.self) { _ = try await world.pay() }
            let refused = await #expect(throws: CardReaderServiceError.self) { try await world.service.clear() }
            #expect(refused?.underlyingError == .alreadyConnectedToReader)
            try await world.service.disconnect()
            let mismatch = await #expect(throws: CardReaderServiceError.self) {
                try await world.service.start(world.config(ReaderWorld.other))
            }
            #expect(mismatch?.underlyingError == .accountMismatch)
            try await world.service.clear()
            #expect(world.driver.calls(.clear) == 1)
            #expect(world.service.discoveredReaders.current == [])
            #expect(world.service.readerEvents.current == nil)
            // What it forgot without an outcome is handed over.
            let forgotten = world.late.all.contains { result in
                guard case .forgotten(_, let order, isUnknown: true) = result else { return false }
                return order.rawValue == "1001"
            }
            #expect(forgotten)
            let none = await #expect(throws: CardReaderServiceError.self) {
                _ = try await world.service.retryActivePayment(beforeConfirmation: world.hook)
            }
            #expect(none?.underlyingError == .noActivePaymentIntent)
            try await world.service.start(world.config(ReaderWorld.other))
            #expect(world.state == "discovering")
        }
    }

    // MARK: Going away at every point

    enum When: String, CaseIterable, Sendable {
        case discovering, connecting, connected, createIntent, collect, write, confirm, refund, update, reconnecting
    }

    @Test(arguments: When.allCases)
    func aReaderMayGoAwayAtAnyPoint(when: When) throws {
        try ReaderWorld().run { world in
            let driver = world.driver
            var command: Task<String, any Error>?
            switch when {
            case .discovering:
                try await world.service.start(world.config())
                await world.reaches(.discover)
            case .connecting:
                driver.next(.connect, .hangs)
                command = world.start { world in
                    try await world.connect()
                    return "connected"
                }
                await world.reaches(.connect)
            default: try await world.connect()
            }
            switch when {
            case .createIntent:
                driver.next(.createIntent, .after(.seconds(5)))
                command = world.start { world in try await world.pay().status.rawValue }
                await world.reaches(.createIntent)
            case .collect:
                driver.customer(.neverComes)
                command = world.start { world in try await world.pay().status.rawValue }
                await world.reaches(.collect)
            case .write:
                command = world.start { world in
                    try await world.service.collectPayment(world.parameters()) { _, _ in await world.pass(.seconds(9)) }
                        .status.rawValue
                }
                await world.pass(.seconds(5))
            case .confirm:
                driver.next(.confirm, .after(.seconds(5)))
                command = world.start { world in try await world.pay().status.rawValue }
                await world.reaches(.confirm)
            case .refund:
                driver.next(.refund, .hangs)
                command = world.start { world in
                    try await world.service.refund(StateTableTests.refund("re-1", charge: "ch_1")).status.rawValue
                }
                await world.reaches(.refund)
            case .update:
                await driver.say(.updateAvailable(CardReaderSoftwareUpdate(version: "2")))
                command = world.start { world in
                    try await world.service.installUpdate()
                    return "updated"
                }
                await world.reaches(.installUpdate)
            case .reconnecting: await driver.say(.reconnecting(.securityReboot))
            case .discovering, .connecting, .connected: break
            }
            let begun = world.now
            await driver.say(.disconnected(.poweredOff))
            let outcome: String
            do {
                outcome = try await command?.value ?? "none"
            } catch let error as CardReaderServiceError {
                outcome = "\(error.underlyingError.rawValue)/\(error.moneyMoved.rawValue)"
            }
            #expect(world.now.since(begun) <= .seconds(70))
            let expected =
                switch when {
                case .discovering, .connected, .reconnecting: "none"
                case .connecting, .createIntent, .collect, .write: "not_connected_to_reader/no"
                // The answer about the money does not need the reader.
                case .confirm: "requires_capture"
                case .refund: "request_timed_out/unknown"
                case .update: "reader_software_update_failed_interrupted/no"
                }
            #expect(outcome == expected)
            #expect(world.state == (when == .discovering ? "discovering" : "idle"))
            #expect(world.service.connectedReaders.current == [])
        }
    }

    @Test func aReaderThatComesBackGoesOn() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            await world.driver.say(.reconnecting(.bluetoothSignalLost))
            #expect(world.service.connectedReaders.current == [])
            await world.driver.say(.reconnected(ScriptedDriver.m2))
            #expect(world.state == "connected")
            let statuses = world.service.connectedReaders.current?.map(\.status)
            #expect(statuses == [.connected])
            #expect(try await world.pay().status == .requiresCapture)
        }
    }

    @Test func aReaderThatDoesNotComeBackIsGivenUp() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            await world.driver.say(.reconnecting(.bluetoothSignalLost))
            await world.pass(.minutes(6))
            #expect(world.state == "idle")
            #expect(world.driver.calls(.cancelReconnection) == 1)
            if case .failed = world.service.reconnectionEvents.current {} else { Issue.record("not failed") }
        }
    }

    @Test func aReaderThatReconnectsDuringAPaymentEndsTheWaitForTheCard() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            world.driver.customer(.neverComes)
            let payment = world.start { world in try await world.pay() }
            await world.reaches(.collect)
            await world.pass(.seconds(1))
            await world.driver.say(.reconnecting(.bluetoothSignalLost))
            let error = await #expect(throws: CardReaderServiceError.self) { _ = try await payment.value }
            #expect(error?.underlyingError == .notConnectedToReader)
            #expect(error?.what.contains("bluetooth_signal_lost") == true)
            #expect(world.state == "reconnecting")
        }
    }

    @Test func whatAnOlderAttemptSaysIsNotPublished() throws {
        try ReaderWorld().run { world in
            try await world.connect()
            let events = world.service.readerEvents.subscribe()
            var stale = CardReaderEvent(.cardInserted, message: "stale")
            stale.attempt = CardReaderAttemptID(number: 1)
            await world.driver.say(.reader(stale))
            await world.driver.say(.reader(CardReaderEvent(.approved)))
            await world.driver.say(.reader(CardReaderEvent(.displayMessage, message: "Hello")))
            for await event in events {
                #expect(event.message == "Hello")
                break
            }
        }
    }
}
