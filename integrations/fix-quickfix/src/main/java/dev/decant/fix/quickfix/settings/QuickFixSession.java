package dev.decant.fix.quickfix.settings;

import dev.decant.fix.Application;
import dev.decant.fix.FixEngine;
import dev.decant.fix.InitiatorBuilder;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.quickfix.store.ImportingStores;
import dev.decant.fix.schedule.SessionSchedule;
import dev.decant.fix.settings.AddressRules;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.FileStores;
import dev.decant.fix.store.MemoryStores;
import dev.decant.fix.store.MessageStoreFactory;
import dev.decant.tls.TlsSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One session of a settings file of QuickFIX/J, as Decant's settings. A method that converts settings throws an
 * IllegalArgumentException if a value cannot be parsed; the message names it. One thread at a time, except
 * {@link #settings(SessionId)}: any thread.
 */
public final class QuickFixSession {
  /** The size of a segment. A session takes twice as much disk space from the start. */
  private static final int SEGMENT_BYTES = 16 << 20;
  private static final String LOGON_TAG = "LogonTag";

  private final SessionId id;
  private final Section section;
  private final Dictionaries dictionaries;
  private final Map<String, String> applicationSettings = new LinkedHashMap<>();
  /** Null until first needed, because names are looked up then. Guarded by this. */
  private @Nullable AddressRules addressRules;

  QuickFixSession(SessionId id, Section section, Dictionaries dictionaries) {
    this.id = id;
    this.section = section;
    this.dictionaries = dictionaries;
    section.values().forEach((name, value) -> {
      if (SettingRules.of(name) == null) {
        applicationSettings.put(name, value);
      }
    });
  }

  /**
   * Returns the identity of the session.
   *
   * @return the identity; a component of a template may be {@code *}
   */
  public SessionId id() {
    return id;
  }

  /**
   * Returns true if this end connects.
   *
   * @return true for ConnectionType=initiator, false for acceptor
   */
  public boolean isInitiator() {
    return section.read("ConnectionType", false, "initiator or acceptor", text -> switch (text) {
      case "initiator" -> true;
      case "acceptor" -> false;
      default -> throw new IllegalArgumentException();
    });
  }

  /**
   * Returns true if these settings create sessions at their Logon.
   *
   * @return true for AcceptorTemplate=Y
   */
  public boolean isTemplate() {
    return section.flag("AcceptorTemplate", false);
  }

  /**
   * Returns a setting of the file.
   *
   * @param name the name of the setting
   * @return the value, own or inherited; null if there is none
   */
  public @Nullable String value(String name) {
    return section.value(name);
  }

  /**
   * Returns the settings with names that QuickFIX/J does not define, such as Username: those of the application.
   *
   * @return names and values, which cannot be changed
   */
  public Map<String, String> applicationSettings() {
    return Collections.unmodifiableMap(applicationSettings);
  }

  /**
   * Returns the rules of the session.
   *
   * @return the settings, with dictionaries that are loaded now
   * @throws dev.decant.fix.dictionary.DictionaryException if a dictionary cannot be loaded
   */
  public SessionSettings settings() {
    return settings(id);
  }

  /**
   * Returns the rules of a session that this template creates.
   *
   * @param made the identity of the session
   * @return the settings
   * @throws dev.decant.fix.dictionary.DictionaryException if a dictionary cannot be loaded
   */
  public SessionSettings settings(SessionId made) {
    return SessionMapping.settings(section, made, dictionaries, addressRules());
  }

  /**
   * Returns the trading hours.
   *
   * @return the schedule; one without windows for a session that never ends
   */
  public SessionSchedule schedule() {
    return ScheduleMapping.of(section);
  }

  /**
   * Returns where an initiator connects to.
   *
   * @return at least one host, in the order of the attempts
   */
  public List<InetSocketAddress> hosts() {
    return ConnectionMapping.hosts(section);
  }

  /**
   * Returns where an acceptor listens.
   *
   * @return the address
   */
  public InetSocketAddress acceptAddress() {
    return ConnectionMapping.acceptAddress(section);
  }

  /**
   * Returns the keys and rules of encrypted connections.
   *
   * @return null without SocketUseSSL=Y
   */
  public @Nullable TlsSettings tls() {
    return TlsMapping.of(section);
  }

  /**
   * Returns the stores of numbers and messages.
   *
   * @return stores in the folder FileStorePath; they import the files of QuickFIX/J there when a session is first
   *     opened. Stores in memory without that setting
   */
  public MessageStoreFactory stores() {
    String folder = section.value("FileStorePath");
    if (folder == null) {
      return new MemoryStores();
    }
    FileStores.Builder files = FileStores.builder(Path.of(folder)).segmentBytes(SEGMENT_BYTES);
    return new ImportingStores(Path.of(folder),
        (section.flag("FileStoreSync", false) ? files.forceEveryMessage() : files.forceNever()).build());
  }

  /**
   * Returns a builder for the initiator of this session.
   *
   * @param engine the engine of the session
   * @param application receives its messages; the application calls {@link #writeLogonFields}
   * @return a builder with hosts, delays, store and keys
   */
  public InitiatorBuilder initiator(FixEngine engine, Application application) {
    ConnectionMapping.Delays delays = ConnectionMapping.delays(section);
    InitiatorBuilder builder = engine.initiator(settings(), application).store(stores())
        .reconnectDelay(delays.min(), delays.max()).connectTimeout(ConnectionMapping.connectTimeout(section));
    hosts().forEach(host -> builder.host(host.getHostString(), host.getPort()));
    InetSocketAddress local = ConnectionMapping.localAddress(section);
    if (local != null) {
      builder.localAddress(local);
    }
    TlsSettings keys = tls();
    if (keys != null) {
      builder.tls(keys);
    }
    return section.flag("DynamicSession", false) ? builder.startLoggedOut() : builder;
  }

  /**
   * Writes the fields of the settings LogonTag, LogonTag1 and so on.
   *
   * @param logon takes them, in {@link Application#onLogonToBeSent}
   */
  public void writeLogonFields(FieldWriter logon) {
    String name = LOGON_TAG;
    for (int i = 1; section.has(name); i++) {
      section.read(name, logon, "TAG=VALUE", text -> {
        int equals = text.indexOf('=');
        return logon.text(Integer.parseInt(text.substring(0, equals)), text.substring(equals + 1));
      });
      name = LOGON_TAG + i;
    }
  }

  /** Returns the rules for connections to an acceptor. It looks up the names in AllowedRemoteAddresses once. */
  synchronized AddressRules addressRules() {
    AddressRules rules = addressRules;
    if (rules == null) {
      rules = isRestricted() ? Addresses.rules(allowedAddresses()) : AddressRules.all();
      addressRules = rules;
    }
    return rules;
  }

  /** Returns true if the setting restricts which addresses may connect. */
  boolean isRestricted() {
    return !isInitiator() && section.has("AllowedRemoteAddresses");
  }

  Set<InetAddress> allowedAddresses() {
    return Addresses.resolve(section.text("AllowedRemoteAddresses", ""));
  }

  Duration logonTimeout() {
    return Duration.ofSeconds(Math.max(1, section.number("LogonTimeout", 10)));
  }

  boolean continuesOnError() {
    return section.flag("ContinueInitializationOnError", false);
  }

  Section section() {
    return section;
  }

  @Override
  public String toString() {
    return id + (isTemplate() ? " (template)" : "");
  }
}
