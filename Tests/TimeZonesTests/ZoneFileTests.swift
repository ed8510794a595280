import Testing
import TimeZones

@Suite struct ZoneFileTests {
  @Test(arguments: [0, 0x32, 0x33, 0x34] as [UInt8])
  func `local time changes at the file's moments`(version: UInt8) throws {
    var made = ZoneBytes.berlin
    made.version = version
    let zone = try ZoneFile(made.bytes)
    #expect(zone.local(at: 0).abbreviation == "CET")
    #expect(zone.local(at: 1_774_745_999).offset == 3_600)
    #expect(
      zone.local(at: 1_774_746_000) == LocalTime(offset: 7_200, isDaylight: true, abbreviation: "CEST"))
    #expect(zone.local(at: 1_792_889_999).offset == 7_200)
    #expect(zone.local(at: 1_792_890_000).offset == 3_600)
  }

  @Test func `the rule at the end holds after the last moment, version 1 has none`() throws {
    // 2027-07-01T00:00:00Z.
    let july: Int64 = 1_814_400_000
    #expect(try ZoneFile(ZoneBytes.berlin.bytes).local(at: july).abbreviation == "CEST")
    var made = ZoneBytes.berlin
    made.footer = ""
    #expect(try ZoneFile(made.bytes).local(at: july).abbreviation == "CET")
    made.version = 0
    #expect(try ZoneFile(made.bytes).local(at: july).abbreviation == "CET")
  }

  @Test func `moments of 64 bits are read`() throws {
    var made = ZoneBytes.berlin
    made.moments = [-(1 << 40), 1 << 40]
    let zone = try ZoneFile(made.bytes)
    #expect(zone.local(at: -(1 << 40) - 1).abbreviation == "CET")
    #expect(zone.local(at: 0).abbreviation == "CEST")
    #expect(zone.local(at: .min).offset == 3_600 && zone.local(at: .max).offset == 3_600)
  }

  @Test func `a file without changes is its rule, and UTC needs no file`() throws {
    var made = ZoneBytes()
    made.footer = "<+0545>-5:45"
    #expect(try ZoneFile(made.bytes).local(at: 0).offset == 20_700)
    #expect(ZoneFile.utc.local(at: .max) == LocalTime(offset: 0, isDaylight: false, abbreviation: "UTC"))
  }

  @Test func `a local time is one moment, or none, or two`() throws {
    let zone = try ZoneFile(ZoneBytes.berlin.bytes)
    // 2026-03-29 and 2026-10-25 by the file's own moments, the years after by its rule.
    for (forward, back) in [
      (1_774_746_000, 1_792_890_000), (1_806_195_600, 1_824_944_400),
    ] as [(Int64, Int64)] {
      #expect(zone.local(at: forward).isDaylight && !zone.local(at: forward - 1).isDaylight)
      #expect(zone.local(at: back - 1).isDaylight && !zone.local(at: back).isDaylight)
      #expect(zone.moments(of: forward + 3_599) == [forward - 1])
      #expect(zone.moments(of: forward + 3_600) == [] && zone.moments(of: forward + 7_199) == [])
      #expect(zone.moments(of: forward + 7_200) == [forward])
      #expect(zone.firstMoment(notBefore: forward + 5_400) == forward)
      #expect(zone.moments(of: back + 3_600) == [back - 3_600, back])
      #expect(zone.moments(of: back + 7_199) == [back - 1, back + 3_599])
      #expect(zone.firstMoment(notBefore: back + 3_600) == back - 3_600)
    }
  }

  @Test(arguments: ["<-03>3<-02>,M10.3.0/0,M2.3.0/0", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "UTC0"])
  func `every moment is found by its local time`(footer: String) throws {
    var made = ZoneBytes()
    made.footer = footer
    let zone = try ZoneFile(made.bytes)
    var before = Int64.min
    for moment in stride(from: 1_798_761_600, to: 1_830_384_000, by: 900) as StrideTo<Int64> {
      let local = moment + zone.local(at: moment).offset
      #expect(zone.moments(of: local).contains(moment))
      let isNew = before < local
      if isNew { #expect(zone.firstMoment(notBefore: local) == moment) }
      before = max(before, local)
    }
  }

  @Test func `a file that is cut anywhere is refused`() {
    let whole = ZoneBytes.berlin.bytes
    for count in 0..<whole.count {
      #expect(throws: ZoneFault.self, "\(count) bytes") { try ZoneFile(Array(whole.prefix(count))) }
    }
  }

  @Test func `any byte may be any other, and nothing breaks`() {
    let whole = ZoneBytes.berlin.bytes
    for index in whole.indices {
      for value in [0, 1, 0x0A, 0x2C, 0x39, 0x7F, 0x80, 0xFF] as [UInt8] {
        var bytes = whole
        bytes[index] = value
        guard let zone = try? ZoneFile(bytes) else { continue }
        for moment in [.min, -1 << 35, 0, 1_780_000_000, 1_830_000_000, .max] as [Int64] {
          #expect((-604_800...604_800).contains(zone.local(at: moment).offset))
        }
      }
    }
  }

  @Test func `what RFC 8536 does not allow is refused`() {
    func fault(_ change: (inout ZoneBytes) -> Void) -> ZoneFault? {
      var made = ZoneBytes.berlin
      change(&made)
      do throws(ZoneFault) {
        _ = try ZoneFile(made.bytes)
        return nil
      } catch {
        return error
      }
    }
    #expect(fault { _ in } == nil)
    #expect(fault { $0.moments = [2, 2] } == .outOfRange)
    #expect(fault { $0.kinds = [0, 2] } == .outOfRange)
    #expect(fault { $0.locals = [] } == .outOfRange)
    #expect(fault { $0.letters = "" } == .outOfRange)
    #expect(fault { $0.locals[0].0 = 93_600 } == .outOfRange)
    #expect(fault { $0.locals[0].1 = 2 } == .outOfRange)
    #expect(fault { $0.locals[0].2 = 9 } == .outOfRange)
    #expect(fault { $0.letters = "CET\0CEST" } == .outOfRange)
    #expect(fault { $0.letters = "C\u{1B}T\0CEST\0" } == .outOfRange)
    #expect(fault { $0.version = 0x31 } == .outOfRange)
    #expect(fault { $0.leapCount = 1 } == .leapSeconds)
    #expect(fault { $0.footer = "CET" } == .malformedRule)
    #expect(throws: ZoneFault.notAZoneFile) { try ZoneFile(Array("TZdata".utf8)) }
  }
}
