import TillCore

extension SimulatedCardReaderDriver {
    /// Installs the offered update.
    public func installUpdate() async throws(CardReaderFailure) {
        try await run(.update) { () async throws(CardReaderFailure) -> Void in
            guard connection.isConnected else { throw CardReaderFailure(.notConnectedToReader) }
            guard let offered else { throw CardReaderFailure(.noUpdateAvailable) }
            try await install(offered)
        }
    }

    public func cancelUpdate() async throws(CardReaderFailure) {
        guard case .updating(let isCancelable) = activity else {
            throw CardReaderFailure(.cancelFailedAlreadyCompleted)
        }
        guard isCancelable else { throw CardReaderFailure(.cancelFailedUnavailable) }
        activity = .calledOff
    }

    /// Installs an update whose date has come; reports any other one.
    func installRequiredUpdate() async throws(CardReaderFailure) {
        if offered == nil, card.incidents.contains(.update) {
            let next = (reader.softwareVersion.flatMap { Int($0) } ?? 0) + 1
            let update = CardReaderSoftwareUpdate(version: "\(next)", requiredAt: clock.now())
            offered = OfferedUpdate(update: update, isCancelable: false, failure: nil)
        }
        guard let offered else { return }
        guard let date = offered.update.requiredAt, date <= clock.now() else {
            await report(.updateAvailable(offered.update))
            return
        }
        try await install(offered)
    }

    private func install(_ offered: OfferedUpdate) async throws(CardReaderFailure) {
        guard activity == .idle else { throw CardReaderFailure(.readerBusy) }
        if let battery = reader.battery, battery.percent < CardReaderBattery.updatePercent {
            var details = CardReaderErrorDetails()
            details.batteryPercent = battery.percent
            throw CardReaderFailure(.readerSoftwareUpdateFailedBatteryLow, details: details)
        }
        activity = .updating(isCancelable: offered.isCancelable)
        defer { activity = .idle }
        await report(.updateStarted(isCancelable: offered.isCancelable))
        for percent in stride(from: 20, through: 100, by: 20) {
            await wait(paces: 2)
            guard activity != .calledOff, connection.isConnected else {
                throw CardReaderFailure(.readerSoftwareUpdateFailedInterrupted)
            }
            if percent > 50, let failure = offered.failure { throw CardReaderFailure(failure) }
            await report(.updateProgress(percent))
        }
        reader.softwareVersion = offered.update.version
        self.offered = nil
        await report(.updateEnded)
        await report(.changed(reader))
    }
}
