package dev.decant.fix.quickfix.settings;

import dev.decant.fix.Application;
import dev.decant.fix.FixEngine;
import dev.decant.fix.log.FileMessageLog;
import dev.decant.fix.log.MessageLog;
import dev.decant.fix.quickfix.settings.SettingRule.Treatment;
import dev.decant.fix.settings.SessionId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A settings file of QuickFIX/J, converted to settings of Decant. The page {@code docs/quickfix-settings.md} lists all
 * settings. Reading needs no class of QuickFIX/J.
 *
 * <p>Any file is read to its end. {@link #notes()} lists what is ignored, with the names of the application's own
 * settings. {@link #refusals()} lists settings that Decant does not support, with a remedy. If there are any,
 * {@link #open} opens nothing.
 *
 * <pre>
 * QuickFixSettings settings = QuickFixSettings.read(Path.of("acceptor.cfg"));
 * try (FixEngine engine = settings.engine().start()) {
 *   QuickFixConnections open = settings.open(engine, application);
 *   ...
 * }
 * </pre>
 *
 * <p>One thread at a time.
 */
public final class QuickFixSettings {
  private final List<QuickFixSession> sessions = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final List<String> refusals = new ArrayList<>();
  /** The refusals for sections without the identity of a session, or for a file without sections. */
  private final List<String> unidentified = new ArrayList<>();

  private QuickFixSettings(Map<String, String> defaults, Map<String, Map<String, String>> sections) {
    Dictionaries dictionaries = new Dictionaries();
    for (Map.Entry<String, Map<String, String>> section : sections.entrySet()) {
      Map<String, String> values = new LinkedHashMap<>(defaults);
      values.putAll(section.getValue());
      Section whole = new Section(values);
      SessionId id;
      try {
        id = id(whole);
      } catch (IllegalArgumentException e) {
        unidentified.add(section.getKey() + ": " + e.getMessage() + "; a session needs BeginString, SenderCompID and"
            + " TargetCompID");
        continue;
      }
      sessions.add(new QuickFixSession(id, whole, dictionaries));
    }
    refusals.addAll(unidentified);
    collectNotes();
  }

  private static SessionId id(Section section) {
    return new SessionId(section.text("BeginString", ""), section.text("SenderCompID", ""),
        section.text("SenderSubID", ""), section.text("SenderLocationID", ""), section.text("TargetCompID", ""),
        section.text("TargetSubID", ""), section.text("TargetLocationID", ""), section.text("SessionQualifier", ""));
  }

  /** Collects notes and refusals. Each name appears once for all sessions. */
  private void collectNotes() {
    Map<String, TreeSet<String>> passedOver = new TreeMap<>();
    Map<String, TreeSet<String>> refused = new TreeMap<>();
    for (QuickFixSession session : sessions) {
      for (String name : session.applicationSettings().keySet()) {
        passedOver.computeIfAbsent(name + ": not QuickFIX/J's, for the application", any -> new TreeSet<>())
            .add(session.toString());
      }
      session.section().values().forEach((name, value) -> {
        SettingRule rule = SettingRules.of(name);
        if (rule == null) {
          return;
        }
        if (rule.refuses(value)) {
          refused.computeIfAbsent(rule.shown(name, value) + ": " + rule.text(), any -> new TreeSet<>())
              .add(session.toString());
        } else if (rule.treatment() == Treatment.WITHOUT_EFFECT || rule.treatment() == Treatment.OF_ITS_CLASSES) {
          passedOver.computeIfAbsent(name + ": " + rule.treatment().shown() + ", " + rule.text(),
              any -> new TreeSet<>()).add(session.toString());
        }
      });
      if (!session.section().has("FileStorePath")) {
        passedOver.computeIfAbsent("FileStorePath is not set: numbers and messages are kept in memory, and end with"
            + " the process", any -> new TreeSet<>()).add(session.toString());
      }
    }
    noteLogs();
    passedOver.forEach((text, of) -> notes.add(text + of(of)));
    refused.forEach((text, of) -> refusals.add(text + of(of)));
  }

  /** Notes further logs of the file, since an engine has one message log. */
  private void noteLogs() {
    List<String> folders = sessions.stream().map(session -> session.value("FileLogPath")).filter(Objects::nonNull)
        .distinct().toList();
    if (folders.size() > 1) {
      notes.add("FileLogPath: all sessions are logged in " + folders.getFirst() + ", and none in "
          + String.join(", ", folders.subList(1, folders.size())));
    }
  }

  private String of(SortedSet<String> ids) {
    return ids.size() == sessions.size() ? "" : " (" + (ids.size() == 1 ? ids.first() : ids.size() + " sessions") + ")";
  }

  /**
   * Reads a file. System properties replace variables such as {@code ${user.home}}.
   *
   * @param file the settings file
   * @return the settings
   * @throws IOException if the file cannot be read
   */
  public static QuickFixSettings read(Path file) throws IOException {
    return read(file, System::getProperty);
  }

  /**
   * Reads a file with other variables.
   *
   * @param file the settings file, in UTF-8 or Latin-1
   * @param variables returns the value of a variable; null to leave the text unchanged
   * @return the settings
   * @throws IOException if the file cannot be read
   */
  public static QuickFixSettings read(Path file, Function<String, @Nullable String> variables) throws IOException {
    return parse(file.toString(), Files.readAllBytes(file), variables);
  }

  /**
   * Reads a stream, for example a resource of a jar. System properties replace variables.
   *
   * @param in in UTF-8 or Latin-1; it is read to its end and stays open
   * @return the settings
   * @throws IOException if it cannot be read
   */
  public static QuickFixSettings read(InputStream in) throws IOException {
    return parse("the settings", in.readAllBytes(), System::getProperty);
  }

  private static QuickFixSettings parse(String name, byte[] bytes, Function<String, @Nullable String> variables) {
    SettingsText text = SettingsText.parse(text(bytes), variables);
    Map<String, Map<String, String>> sections = new LinkedHashMap<>();
    text.sessions().forEach((line, values) -> sections.put("[session] in line " + line, values));
    QuickFixSettings settings = new QuickFixSettings(text.defaults(), sections);
    settings.notes.addAll(0, text.notes());
    if (sections.isEmpty()) {
      settings.unidentified.add(name + ": there is no section [session]; add one for each session");
      settings.refusals.addAll(settings.unidentified);
    }
    return settings;
  }

  /**
   * Creates settings that were read by other code.
   *
   * @param defaults the settings of all sessions
   * @param sessions the own settings of each session
   * @return the settings
   */
  public static QuickFixSettings of(Map<String, String> defaults, List<Map<String, String>> sessions) {
    Map<String, Map<String, String>> sections = new LinkedHashMap<>();
    sessions.forEach(values -> sections.put("session " + (sections.size() + 1), values));
    return new QuickFixSettings(defaults, sections);
  }

  private static String text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return new String(bytes, StandardCharsets.ISO_8859_1);
    }
  }

  /**
   * Returns the sessions, templates included, in the order of the file.
   *
   * @return those that have an identity
   */
  public List<QuickFixSession> sessions() {
    return List.copyOf(sessions);
  }

  /**
   * Returns what is ignored: names of the application, settings without effect, lines without a meaning.
   *
   * @return one line for each
   */
  public List<String> notes() {
    return List.copyOf(notes);
  }

  /**
   * Returns the settings that require what Decant does not support.
   *
   * @return one line for each, with a remedy; empty if all sessions can be opened
   */
  public List<String> refusals() {
    return List.copyOf(refusals);
  }

  /**
   * Returns the {@link #refusals()} without a session, for tools that need only identities.
   *
   * @return one line for each section without an identity, or for a file without sections
   */
  public List<String> unidentified() {
    return List.copyOf(unidentified);
  }

  /**
   * Returns a builder for an engine with the log of the file: FileLogPath, or none. The log has no Heartbeat(0) if each
   * section with a FileLogPath has FileLogHeartbeats=N.
   *
   * @return a builder
   * @throws IOException if the log cannot be opened
   */
  public FixEngine.Builder engine() throws IOException {
    return FixEngine.builder().log(log());
  }

  MessageLog log() throws IOException {
    List<Section> logged = sessions.stream().map(QuickFixSession::section)
        .filter(section -> section.has("FileLogPath")).toList();
    if (logged.isEmpty()) {
      return MessageLog.none();
    }
    boolean heartbeats = logged.stream().anyMatch(section -> section.flag("FileLogHeartbeats", true));
    return FileMessageLog.builder(Path.of(logged.getFirst().text("FileLogPath", ""))).heartbeats(heartbeats).open();
  }

  /**
   * Opens all sessions: initiators begin to connect, acceptors listen.
   *
   * @param engine the engine of the sessions
   * @param application receives their messages
   * @return the sessions
   * @throws IOException if a store, a key file or a port cannot be opened; the message names it
   * @throws IllegalArgumentException if there are refusals, or a value cannot be parsed; the message has all of them
   */
  public QuickFixConnections open(FixEngine engine, Application application) throws IOException {
    return opening(engine, application).open();
  }

  /**
   * Returns a builder that opens all sessions, with an authenticator or stores of the application.
   *
   * @param engine the engine of the sessions
   * @param application receives their messages
   * @return a builder
   * @throws IllegalArgumentException if there are refusals; the message has all of them
   */
  public QuickFixOpening opening(FixEngine engine, Application application) {
    requireNoRefusals();
    return new QuickFixOpening(sessions(), engine, application);
  }

  /**
   * Splits the settings, so that each session can be opened on an engine of its own.
   *
   * @return settings of one session each; notes and refusals stay here
   * @throws IllegalArgumentException if there are refusals; the message has all of them
   */
  public List<QuickFixSettings> split() {
    requireNoRefusals();
    return sessions.stream().map(session -> of(Map.of(), List.of(session.section().values()))).toList();
  }

  private void requireNoRefusals() {
    if (!refusals.isEmpty()) {
      throw new IllegalArgumentException("settings that Decant does not have:\n  " + String.join("\n  ", refusals));
    }
  }
}
