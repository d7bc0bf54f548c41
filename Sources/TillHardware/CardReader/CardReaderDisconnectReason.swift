/// The reason for a disconnect: one of eleven. Open: an unknown reason keeps its raw value.
public struct CardReaderDisconnectReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The text, as it came.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    public static let unknown = CardReaderDisconnectReason(rawValue: "unknown")
    /// Disconnected by the shop.
    public static let requested = CardReaderDisconnectReason(rawValue: "disconnect_requested")
    /// Restarted by the shop.
    public static let rebootRequested = CardReaderDisconnectReason(rawValue: "reboot_requested")
    /// Restarted by itself, as the card schemes require every 24 hours.
    public static let securityReboot = CardReaderDisconnectReason(rawValue: "security_reboot")
    /// Its battery is almost empty.
    public static let criticallyLowBattery = CardReaderDisconnectReason(rawValue: "critically_low_battery")
    /// Turned off.
    public static let poweredOff = CardReaderDisconnectReason(rawValue: "powered_off")
    /// The phone's Bluetooth was turned off.
    public static let bluetoothDisabled = CardReaderDisconnectReason(rawValue: "bluetooth_disabled")
    /// Unused for ten hours.
    public static let idlePowerDown = CardReaderDisconnectReason(rawValue: "idle_power_down")
    /// Its cable was unplugged.
    public static let usbDisconnected = CardReaderDisconnectReason(rawValue: "usb_disconnected")
    /// Out of range.
    public static let bluetoothSignalLost = CardReaderDisconnectReason(rawValue: "bluetooth_signal_lost")
    /// The reader has forgotten the phone.
    public static let pairingRemoved = CardReaderDisconnectReason(rawValue: "peer_removed_pairing_information")

    /// Every known reason.
    public static let known: [CardReaderDisconnectReason] = [
        .unknown, .requested, .rebootRequested, .securityReboot, .criticallyLowBattery, .poweredOff,
        .bluetoothDisabled, .idlePowerDown, .usbDisconnected, .bluetoothSignalLost, .pairingRemoved,
    ]

    /// The advised remedy, in one sentence.
    public var advice: String {
        switch self {
        case .requested: "Connect it again when you need it."
        case .rebootRequested, .securityReboot: "It is restarting. Wait a minute and connect it again."
        case .criticallyLowBattery: "Charge it and connect it again."
        case .poweredOff, .idlePowerDown: "Turn it on and connect it again."
        case .bluetoothDisabled: "Turn Bluetooth on and connect it again."
        case .usbDisconnected: "Plug in its cable and connect it again."
        case .bluetoothSignalLost: "Bring it nearer and connect it again."
        case .pairingRemoved: "Forget it in the phone's Bluetooth settings and pair it again."
        default: "Check that it is on and near, and connect it again."
        }
    }
}
