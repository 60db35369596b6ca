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
 * Whether the dictionaries of a session find a message valid. In a FIXT.1.1 session the ApplVerID(1128) of a message
 * says which application dictionary counts; for a message without one, DefaultApplVerID(1137) of the counterparty's
 * Logon(A) does. Dictionaries may be replaced between two messages. Owner of the session only.
 */
public final class Validation {
  static final int VALID = MessageValidator.VALID;
  static final int UNSUPPORTED_MSG_TYPE = MessageValidator.UNSUPPORTED_MSG_TYPE;

  private final ValidationSettings settings;
  private Dictionary dictionary;
  private final Map<String, Dictionary> applications;
  /** The versions that have a dictionary, and their validators; empty arrays if there is no application dictionary. */
  private String[] versions = {};
  private MessageValidator[] validators = {};
  /** Of the messages without an ApplVerID(1128). */
  private MessageValidator main;
  /** The version of {@link #main}. */
  private String mainVersion;
  /** Of the last message. */
  private MessageValidator validator;
  /** Of the last message: its version has no dictionary, and it was validated by another or refused. */
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
    for (Dictionary application : applications.values()) { // in the order of the keys
      validators[i++] = new MessageValidator(dictionary, application, settings);
    }
    MessageValidator ofVersion = find(mainVersion);
    main = ofVersion != null ? ofVersion : new MessageValidator(dictionary, settings);
    validator = main;
  }

  /**
   * Makes the validation of a session.
   *
   * @param settings of the session
   * @return null if it has no dictionary
   */
  public static @Nullable Validation of(SessionSettings settings) {
    Dictionary dictionary = settings.dictionary();
    return dictionary == null ? null : new Validation(dictionary, settings);
  }

  /**
   * Goes by another dictionary from the next message on.
   *
   * @param applVerId empty for the dictionary of the session, otherwise the version of an application dictionary
   * @param newDictionary replaces the one of now
   * @throws IllegalArgumentException if it cannot be used; the one of now stays
   */
  void replace(String applVerId, Dictionary newDictionary) {
    if (applVerId.isEmpty()) {
      MessageValidator unused = new MessageValidator(newDictionary, settings); // throws if there is no header
      dictionary = newDictionary;
    } else {
      applications.put(applVerId, newDictionary);
    }
    build();
  }

  /** The versions whose dictionaries another one renews; empty for the dictionary of the session. */
  List<String> renewedBy(Dictionary newDictionary) {
    List<String> renewed = new ArrayList<>();
    if (newDictionary.renews(dictionary)) {
      renewed.add("");
    }
    applications.forEach((version, application) -> {
      if (newDictionary.renews(application)) {
        renewed.add(version);
      }
    });
    return renewed;
  }

  /** The session's rules for its messages, by the dictionaries of now; other settings have their defaults. */
  SessionSettings renewed(SessionSettings session) {
    SessionSettingsBuilder renewed = SessionSettings.of(session.id()).dictionary(dictionary).validation(settings)
        .defaultApplVerId(session.defaultApplVerId()).maxMessageBytes(session.maxMessageBytes())
        .timestampPrecision(session.timestampPrecision()).lastMsgSeqNumProcessed(session.lastMsgSeqNumProcessed());
    applications.forEach(renewed::applicationDictionary);
    return renewed.build();
  }

  /** The dictionary of the session or of an application's version; null if there is none. */
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
    isOfUnknownVersion = message.valueFrom(index) < message.valueTo(index); // the validator refuses an empty value
  }

  private @Nullable MessageValidator find(String version) {
    for (int i = 0; i < versions.length; i++) {
      if (versions[i].equals(version)) {
        return validators[i];
      }
    }
    return null;
  }

  /** Whether messages of an application's version can be validated; any if there is no application dictionary. */
  boolean knowsVersion(String applVerId) {
    return versions.length == 0 || find(applVerId) != null;
  }

  boolean allowsUnknownVersions() {
    return settings.allowUnknownApplVerIds();
  }

  /** Counts what the last message breaks although it is valid. */
  void countLetThrough(LetThroughCounts counts, long number) {
    if (isOfUnknownVersion) {
      counts.add(Leniency.APPL_VER_ID, number, Tag.APPL_VER_ID);
    }
    if (validator.isLetThrough()) {
      counts.addAll(validator, number);
    }
  }

  /** The field that the last message failed for; {@link RejectMessages#NO_TAG} for none. */
  int failingTag(int reason) {
    if (reason == RejectReason.INVALID_VERSION) {
      return Tag.APPL_VER_ID;
    }
    int tag = validator.failingTag();
    return tag > 0 || reason == RejectReason.INVALID_TAG_NUMBER ? tag : RejectMessages.NO_TAG;
  }
}
