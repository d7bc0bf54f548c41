/// Compares two secrets without stopping at the first difference, so that timing reveals nothing. Their lengths may be
/// revealed.
public func equalInConstantTime(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (a, b) in zip(left, right) { difference |= a ^ b }
    return difference == 0
}
