package dev.decant.fix.session;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.dictionary.MessageValidator;
import dev.decant.fix.dictionary.ValidationSettings;
import dev.decant.fix.message.Leniency;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.settings.SessionSettingsBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Validates messages by the dictionaries of a session. In a FIXT.1.1 session, ApplVerID(1128) of a message selects the
 * application dictionary. Messages without one use DefaultApplVerID(1137) of the counterparty's Logon(A). Dictionaries
 * can be replaced between two messages. Owner of the session only.
 */
public final class Validation {
  static final int VALID = MessageValidator.VALID;
  static final int UNSUPPORTED_MSG_TYPE = MessageValidator.UNSUPPORTED_MSG_TYPE;

  private final ValidationSettings settings;
  /** The dictionary of the session: its version's, or that of FIXT.1.1. */
  private Dictionary dictionary;
  private final Map<String, Dictionary> applications;
  /** The versions that have a dictionary, with their validators; empty arrays if there is no application dictionary. */
  private String[] versions = {};
  private MessageValidator[] validators = {};
  /** Validates messages without ApplVerID(1128). */
  private MessageValidator main;
  /** The version of {@link #main}. */
  private String mainVersion;
  /** The validator of the last message. */
  private MessageValidator validator;
  /** True if the version of the last message has no dictionary. Another one validated it, or it was refused. */
  private boolean isOfUnknownVersion;

  private Validation(Dictionary dictionary, SessionSettings settings) {
    this.dictionary = dictionary;
    this.mainVersion = settings.defaultApplVerId();
    this.settings = settings.validation();
    this.mainVersion = settings.defaultApplVerId();
    this.applications = new TreeMap<>(settings.applicationDictionaries());
    this.main = new MessageValidator(dictionary, this.settings);
    this.validator = main;
    build();
  }

  private void build() {
    int count = applications.size();
    versions = applications.keySet().toArray(String[]::new);
    validators = new MessageValidator[count];
    int i = 0;
    // The map is sorted, so this is the order of versions.
    for (Dictionary application : applications.values()) {
      validators[i++] = new MessageValidator(dictionary, application, settings);
    }
    MessageValidator ofVersion = find(mainVersion);
    main = ofVersion != null ? ofVersion : new MessageValidator(dictionary, settings);
    validator = main;
  }

  /** Creates the validation of a session; null if its settings have no dictionary. */
  public static @Nullable Validation of(SessionSettings settings) {
    Dictionary dictionary = settings.dictionary();
    return dictionary == null ? null : new Validation(dictionary, settings);
  }

  /**
   * Replaces a dictionary, from the next message on.
   *
   * @param applVerId empty for the dictionary of the session, otherwise the version of an application dictionary
   * @throws IllegalArgumentException if the new dictionary cannot be used; the present one stays
   */
  void replace(String applVerId, Dictionary newDictionary) {
    if (applVerId.isEmpty()) {
      // Throws if the dictionary has no header.
      MessageValidator unused = new MessageValidator(newDictionary, settings);
      dictionary = newDictionary;
    } else {
      applications.put(applVerId, newDictionary);
    }
    build();
  }

  /**
   * Returns the versions whose dictionary the new one renews; an empty string stands for the dictionary of the session.
   */
  List<String> renewedBy(Dictionary newDictionary) {
    List<String> renewed = new ArrayList<>();
    if (newDictionary.isLaterLoadOf(dictionary)) {
      renewed.add("");
    }
    applications.forEach((version, application) -> {
      if (newDictionary.isLaterLoadOf(application)) {
        renewed.add(version);
      }
    });
    return renewed;
  }

  /**
   * Returns the session's rules for messages, with the present dictionaries. All other settings have their defaults.
   */
  SessionSettings renewed(SessionSettings session) {
    SessionSettingsBuilder renewed = SessionSettings.of(session.id()).dictionary(dictionary).validation(settings)
        .defaultApplVerId(session.defaultApplVerId()).maxMessageBytes(session.maxMessageBytes())
        .timestampPrecision(session.timestampPrecision()).lastMsgSeqNumProcessed(session.lastMsgSeqNumProcessed());
    applications.forEach(renewed::applicationDictionary);
    return renewed.build();
  }

  /** Returns the dictionary of the session or of an application version; null if there is none. */
  @Nullable
  Dictionary dictionary(String applVerId) {
    return applVerId.isEmpty() ? dictionary : applications.get(applVerId);
  }

  /** Returns {@link #VALID}, {@link #UNSUPPORTED_MSG_TYPE} or a value of SessionRejectReason(373). */
  int validate(MessageView message) {
    validator = main;
    isOfUnknownVersion = false;
    if (versions.length > 0) {
      choose(message);
      if (isOfUnknownVersion && !settings.allowUnknownApplVerIds()) {
        return RejectReason.INVALID_VERSION;
      }
    }
    return validator.validate(message);
  }

  private void choose(MessageView message) {
    int type = message.msgTypeKey();
    if (type == MsgType.LOGON) {
      beginWith(message.string(Tag.DEFAULT_APPL_VER_ID, mainVersion));
    } else if (!MsgType.isAdmin(type)) {
      int index = message.findInHeader(Tag.APPL_VER_ID);
      if (index >= 0) {
        chooseByVersion(message, index);
      }
    }
  }

  private void beginWith(String version) {
    MessageValidator ofVersion = find(version);
    if (ofVersion != null) {
      mainVersion = version;
      main = ofVersion;
      validator = ofVersion;
    }
  }

  private void chooseByVersion(MessageView message, int index) {
    for (int i = 0; i < versions.length; i++) {
      if (message.valueEquals(index, versions[i])) {
        validator = validators[i];
        return;
      }
    }
    isOfUnknownVersion = message.valueFrom(index) < message.valueTo(index); // The validator refuses an empty value.
  }

  private @Nullable MessageValidator find(String version) {
    for (int i = 0; i < versions.length; i++) {
      if (versions[i].equals(version)) {
        return validators[i];
      }
    }
    return null;
  }

  /** Returns true if messages of this version can be validated, or if there is no application dictionary. */
  boolean knowsVersion(String applVerId) {
    return versions.length == 0 || find(applVerId) != null;
  }

  boolean allowsUnknownVersions() {
    return settings.allowUnknownApplVerIds();
  }

  /** Counts the rules that the last message breaks and the settings relax. */
  void countTolerated(ToleranceCounter counts, long number) {
    if (isOfUnknownVersion) {
      counts.add(Leniency.APPL_VER_ID, number, Tag.APPL_VER_ID);
    }
    if (validator.isTolerated()) {
      counts.addAll(validator, number);
    }
  }

  /** Returns the field at fault in the last message; {@link RejectMessages#NO_TAG} if there is none. */
  int failingTag(int reason) {
    if (reason == RejectReason.INVALID_VERSION) {
      return Tag.APPL_VER_ID;
    }
    int tag = validator.failingTag();
    return tag > 0 || reason == RejectReason.INVALID_TAG_NUMBER ? tag : RejectMessages.NO_TAG;
  }
}
