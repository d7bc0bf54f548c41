import TillCore

// What the reader and the people in front of it do.
extension SimulatedCardReaderDriver {
    /// Sets the card of the next customer.
    public func present(_ card: SimulatedCard) { self.card = card }

    /// Simulates the removal of the card by the customer.
    public func takeCard() async {
        guard isCardInserted else { return }
        await wait(paces: 2)
        isCardInserted = false
        await report(.reader(CardReaderEvent(.cardRemoved)))
    }

    /// Shows a message of the reader's own.
    public func show(_ message: String) async {
        await report(.reader(CardReaderEvent(.displayMessage, message: message)))
    }

    /// Lets the battery fall to a level, without a charger.
    public func drain(to percent: Int) async { await setBattery(percent, isCharging: false) }

    /// Charges the battery up to a level; the charger stays.
    public func charge(to percent: Int) async { await setBattery(percent, isCharging: true) }

    private func setBattery(_ percent: Int, isCharging: Bool) async {
        reader.battery = CardReaderBattery(percent: percent, isCharging: isCharging)
        if connection.isConnected { await report(.changed(reader)) }
    }

    /// Offers an update: at once if the reader is connected, and whenever it connects. One whose date has come is
    /// required, and is installed when the reader connects.
    /// - Parameter failure: the reason with which the installation fails halfway; `nil` if it succeeds.
    public func offer(
        _ update: CardReaderSoftwareUpdate, isCancelable: Bool = true, failure: UnderlyingError? = nil
    ) async {
        offered = OfferedUpdate(update: update, isCancelable: isCancelable, failure: failure)
        if connection.isConnected { await report(.updateAvailable(update)) }
    }

    /// Loses the reader. Does nothing if it is not connected.
    /// - Parameter isReconnecting: `true` if it may come back by itself: see ``regain()`` and
    ///   ``giveUpReconnecting()``.
    public func lose(_ reason: CardReaderDisconnectReason, isReconnecting: Bool = false) async {
        guard connection.isConnected else { return }
        connection = .lost(isReconnecting: isReconnecting)
        isCardInserted = false
        if activity != .idle { activity = .calledOff }
        await report(isReconnecting ? .reconnecting(reason) : .disconnected(reason))
    }

    /// Brings a reader back that is being reconnected.
    public func regain() async {
        guard case .lost(isReconnecting: true) = connection else { return }
        connection = .connected
        await report(.reconnected(reader))
    }

    /// Ends a reconnection without success.
    public func giveUpReconnecting() async {
        guard case .lost(isReconnecting: true) = connection else { return }
        connection = .lost(isReconnecting: false)
        await report(.reconnectFailed)
    }

    /// Lets the next call of a command have a fault; several calls have theirs in order.
    public func fail(_ command: SimulatedReaderCommand, with fault: SimulatedReaderFault) {
        faults[command, default: []].append(fault)
    }

    /// Lets happen what the card's text says of the time between the connection and the sale.
    func beforeSale() async {
        guard card.incidents.contains(.reconnect) else { return }
        await lose(.bluetoothSignalLost, isReconnecting: true)
        await wait(paces: Self.pacesOfIncident)
        await regain()
    }

    /// The length of what a person should be able to read, in paces.
    static let pacesOfIncident: Int64 = 4
    /// The length of a connection, in paces: a page that listens from its beginning misses nothing after it.
    static let pacesOfConnection: Int64 = 3
}
