package dev.decant.fix.session;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.event.ToleratedCounts;
import dev.decant.fix.message.Leniency;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides by the dictionaries of a session whether a message is accepted, responds to invalid ones, and counts accepted
 * ones that break a relaxed rule. Owner of the session only.
 */
public final class Validity {
  private final SessionProtocol session;
  private final SessionState state;
  private final SessionSettings settings;
  private final ToleranceCounter counts;
  private final @Nullable Validation validation;
  /** The settings with the present dictionaries, which check messages. Written by the owner, read by any thread. */
  private volatile SessionSettings messageSettings;

  Validity(SessionProtocol session, SessionState state, SessionSettings settings, @Nullable Validation validation) {
    this.session = session;
    this.state = state;
    this.settings = settings;
    this.counts = new ToleranceCounter(session.reporter(), session.time());
    this.validation = validation;
    this.messageSettings = settings;
  }

  /**
   * Returns true if the message is accepted. Otherwise it is already rejected, and the caller does nothing more with
   * it.
   */
  boolean isValid(MessageView message, long number) {
    Validation rules = validation;
    if (rules == null) {
      return true;
    }
    int reason = rules.validate(message);
    if (reason == Validation.VALID) {
      rules.countTolerated(counts, number);
      return true;
    }
    return isTolerated(message, number, reason, rules.failingTag(reason));
  }

  /**
   * Counts a message with a timestamp of another format. With a dictionary, {@link #isValid} has counted it already.
   */
  void handled(MessageView message, long number) {
    int tag = message.weakTimestampTag();
    if (tag != 0 && validation == null) {
      counts.add(Leniency.WEAK_TIMESTAMP, number, tag);
    }
  }

  private boolean isTolerated(MessageView message, long number, int reason, int tag) {
    int type = message.msgTypeKey();
    // A Reject is never rejected: two engines could reject each other's rejects without end.
    if (type == MsgType.REJECT) {
      session.reporter().notice("message " + number + " is invalid: " + RejectReason.sessionText(reason)
          + ", field " + tag);
      return true;
    }
    if (!settings.rejectInvalid()) {
      counts.add(Leniency.INVALID_MESSAGE, number, tag);
      return true;
    }
    if (reason == Validation.UNSUPPORTED_MSG_TYPE) {
      unsupported(message, number);
    } else if (type == MsgType.LOGON) {
      session.refuseLogon(RejectReason.sessionText(reason) + ", field " + tag);
    } else if (!state.isLogonReceived()) {
      session.end("an invalid message came before a Logon");
    } else {
      session.reject(message, number, reason, tag, null);
    }
    return false;
  }

  private void unsupported(MessageView message, long number) {
    if (!state.isLogonReceived()) {
      session.end("a message came before a Logon");
      return;
    }
    session.rejectBusiness(message, number, RejectReason.BUSINESS_UNSUPPORTED_MESSAGE_TYPE, RejectMessages.NO_TAG);
  }

  /**
   * Returns DefaultApplVerID(1137) of a Logon if it must be refused: the session has application dictionaries, but none
   * for that version, and the settings require one. Returns null otherwise.
   */
  @Nullable
  String unknownApplVerId(MessageView logon, long number) {
    Validation rules = validation;
    String version = rules == null ? "" : logon.string(Tag.DEFAULT_APPL_VER_ID, "");
    if (rules == null || version.isEmpty() || rules.knowsVersion(version)) {
      return null;
    }
    if (rules.allowsUnknownVersions()) {
      counts.add(Leniency.APPL_VER_ID, number, Tag.DEFAULT_APPL_VER_ID);
      return null;
    }
    return version;
  }

  /**
   * Replaces a dictionary, from the next message on.
   *
   * @param applVerId empty for the dictionary of the session, otherwise the version of an application dictionary
   * @throws IllegalArgumentException if the new dictionary cannot be used; the present one stays
   */
  public void replace(String applVerId, Dictionary dictionary) {
    Validation rules = validation;
    Dictionary present = rules == null ? null : rules.dictionary(applVerId);
    if (rules == null || present == null) {
      throw new IllegalArgumentException("session " + settings.id() + " has no dictionary"
          + (applVerId.isEmpty() ? "" : " of ApplVerID " + SessionText.shown(applVerId))
          + " that could be replaced; set it in the settings");
    }
    if (!present.beginString().equals(dictionary.beginString())) {
      throw new IllegalArgumentException("dictionary " + dictionary + " is of " + dictionary.beginString()
          + ", but replaces one of " + present.beginString() + "; give one of the same version");
    }
    rules.replace(applVerId, dictionary);
    SessionSettings renewed = rules.renewed(settings);
    messageSettings = renewed;
    session.changeDataFields(renewed.dataFields());
    session.reporter().notice("validates by " + dictionary + " now");
  }

  /**
   * Replaces each dictionary that this one renews. Returns how many were replaced.
   *
   * @param dictionary was loaded later from the same file
   * @throws IllegalArgumentException if it cannot be used; the present ones stay
   */
  public int renew(Dictionary dictionary) {
    Validation rules = validation;
    int count = 0;
    for (String applVerId : rules == null ? List.<String>of() : rules.renewedBy(dictionary)) {
      replace(applVerId, dictionary);
      count++;
    }
    return count;
  }

  /** Returns the settings of the session, with its present dictionaries, for checks of messages. Any thread. */
  public SessionSettings messageSettings() {
    return messageSettings;
  }

  /** Returns the counts of accepted messages that break a relaxed rule. Any thread. */
  public ToleratedCounts tolerated() {
    return counts;
  }

  ToleranceCounter counts() {
    return counts;
  }
}
