package dev.decant.fix.conformance;

import dev.decant.fix.settings.SessionSettingsBuilder;
import dev.decant.fix.settings.TimestampPrecision;
import java.time.Duration;

/** Settings of a session by their names. */
final class NamedSettings {
  private NamedSettings() {}

  /**
   * Sets one.
   *
   * @throws IllegalArgumentException if there is none of this name
   */
  static void set(SessionSettingsBuilder builder, String name, String value) {
    switch (name) {
      case "heartbeatInterval" -> builder.heartbeatInterval(Duration.parse(value));
      case "logonTimeout" -> builder.logonTimeout(Duration.parse(value));
      case "logoutTimeout" -> builder.logoutTimeout(Duration.parse(value));
      case "maxLatency" -> builder.maxLatency(Duration.parse(value));
      case "resendRequestChunk" -> builder.resendRequestChunk(Integer.parseInt(value));
      case "resendLimit" -> builder.resendLimit(Integer.parseInt(value));
      case "gapQueueBytes" -> builder.gapQueueBytes(Integer.parseInt(value));
      case "maxMessageBytes" -> builder.maxMessageBytes(Integer.parseInt(value));
      case "outputBytes" -> builder.outputBytes(Integer.parseInt(value));
      case "timestampPrecision" -> builder.timestampPrecision(TimestampPrecision.valueOf(value));
      case "defaultApplVerId" -> builder.defaultApplVerId(value);
      default -> setFlag(builder, name, flag(name, value));
    }
  }

  private static void setFlag(SessionSettingsBuilder builder, String name, boolean value) {
    switch (name) {
      case "resetOnLogon" -> builder.resetOnLogon(value);
      case "resetOnLogout" -> builder.resetOnLogout(value);
      case "resetOnDisconnect" -> builder.resetOnDisconnect(value);
      case "checkCompIds" -> builder.checkCompIds(value);
      case "checkSubIds" -> builder.checkSubIds(value);
      case "validateCheckSum" -> builder.validateCheckSum(value);
      case "rejectGarbled" -> builder.rejectGarbled(value);
      case "rejectInvalid" -> builder.rejectInvalid(value);
      case "requireOrigSendingTime" -> builder.requireOrigSendingTime(value);
      case "closedResendRange" -> builder.closedResendRange(value);
      case "redundantResendRequests" -> builder.redundantResendRequests(value);
      case "nextExpectedMsgSeqNum" -> builder.nextExpectedMsgSeqNum(value);
      case "lastMsgSeqNumProcessed" -> builder.lastMsgSeqNumProcessed(value);
      case "sendWhileLoggedOut" -> builder.sendWhileLoggedOut(value);
      default -> throw new IllegalArgumentException("unknown setting '" + name + "'");
    }
  }

  private static boolean flag(String name, String value) {
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("setting " + name + " is true or false, not '" + value + "'");
    };
  }
}
