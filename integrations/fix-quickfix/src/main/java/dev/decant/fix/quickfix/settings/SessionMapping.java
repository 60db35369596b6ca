package dev.decant.fix.quickfix.settings;

import dev.decant.fix.settings.AddressRules;
import dev.decant.fix.settings.BackPressure;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.fix.settings.TimestampPrecision;
import dev.decant.fix.settings.WhileClosed;
import java.time.Duration;

/** The rules of a session. */
final class SessionMapping {
  private static final int DEFAULT_MAX_LATENCY = 120;

  private SessionMapping() {}

  static SessionSettings settings(Section section, SessionId id, Dictionaries dictionaries,
      AddressRules addressRules) {
    SessionSettingsBuilder settings = SessionSettings.of(id)
        .addressRules(addressRules)
        .sendWhileLoggedOut(true) // as QuickFIX/J does, which numbers and stores them
        .heartbeatInterval(Duration.ofSeconds(section.number("HeartBtInt", 30)))
        .logonTimeout(Duration.ofSeconds(section.number("LogonTimeout", 10)))
        .logoutTimeout(Duration.ofSeconds(section.number("LogoutTimeout", 2)))
        .resetOnLogon(section.flag("ResetOnLogon", false))
        .resetOnLogout(section.flag("ResetOnLogout", false))
        .resetOnDisconnect(section.flag("ResetOnDisconnect", false))
        .checkCompIds(section.flag("CheckCompID", true))
        .checkLatency(section.flag("CheckLatency", true))
        .maxLatency(Duration.ofSeconds(section.number("MaxLatency", DEFAULT_MAX_LATENCY)))
        .validateCheckSum(section.flag("ValidateChecksum", true))
        .rejectGarbled(section.flag("RejectGarbledMessage", false))
        .rejectInvalid(section.flag("RejectInvalidMessage", true))
        .requireOrigSendingTime(section.flag("RequiresOrigSendingTime", true))
        .closedResendRange(section.flag("ClosedResendInterval", false))
        .resendRequestChunk(section.number("ResendRequestChunkSize", 0))
        .redundantResendRequests(section.flag("SendRedundantResendRequests", false))
        .lastMsgSeqNumProcessed(section.flag("EnableLastMsgSeqNumProcessed", false))
        .nextExpectedMsgSeqNum(section.flag("EnableNextExpectedMsgSeqNum", false));
    if (!section.flag("PersistMessages", true)) {
      settings.resendLimit(0);
    }
    if (section.has("DefaultApplVerID")) {
      settings.defaultApplVerId(
          section.read("DefaultApplVerID", "", "a version, such as FIX.5.0SP2", Dictionaries::applVerId));
    }
    settings.schedule(ScheduleMapping.of(section));
    if (!section.flag("ResetOnLogon", false)) { // otherwise the next Logon discards what is sent meanwhile
      settings.whileClosed(WhileClosed.QUEUE);
    }
    timestamps(section, settings);
    backPressure(section, settings);
    dictionaries.set(section, id.beginString(), settings);
    return settings.build();
  }

  private static void timestamps(Section section, SessionSettingsBuilder settings) {
    if (section.has("TimeStampPrecision")) {
      settings.timestampPrecision(section.read("TimeStampPrecision", TimestampPrecision.MILLIS,
          "SECONDS, MILLIS, MICROS, NANOS or PICOS",
          text -> text.equals("PICOS") ? TimestampPrecision.NANOS : TimestampPrecision.valueOf(text)));
    } else if (section.has("MillisecondsInTimeStamp")) {
      settings.timestampPrecision(
          section.flag("MillisecondsInTimeStamp", true) ? TimestampPrecision.MILLIS : TimestampPrecision.SECONDS);
    }
  }

  private static void backPressure(Section section, SessionSettingsBuilder settings) {
    if (section.number("MaxScheduledWriteRequests", 0) > 0) {
      settings.backPressure(BackPressure.DISCONNECT);
    }
    if (section.flag("SocketSynchronousWrites", false)) {
      settings.sendTimeout(Duration.ofMillis(section.number("SocketSynchronousWriteTimeout", 30_000)));
    }
  }
}
