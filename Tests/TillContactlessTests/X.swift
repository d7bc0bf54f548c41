@testable import TillContactless
