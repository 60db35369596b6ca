package dev.decant.lab.driver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;

/**
 * A properties file for clients in Apache's names, as Kafka's own tools take it. Settings that a run decides are left
 * out: all clients of a comparison must do the same. Immutable. The text form has the path of the file and no values,
 * which may be secret.
 */
public final class ClientConfig {
  private static final Set<String> OF_THE_RUN = Set.of("bootstrap.servers", "client.id", "key.serializer",
      "value.serializer", "key.deserializer", "value.deserializer", "group.id", "group.instance.id", "group.protocol",
      "transactional.id", "auto.offset.reset", "enable.auto.commit");
  private static final String SECURITY_PROTOCOL = "security.protocol";

  private final String file;
  private final Map<String, String> settings;
  private final List<String> unused;

  private ClientConfig(String file, Properties read) {
    this.file = file;
    Map<String, String> used = new TreeMap<>();
    read.stringPropertyNames().stream().filter(name -> !OF_THE_RUN.contains(name))
        .forEach(name -> used.put(name, read.getProperty(name)));
    settings = Map.copyOf(used);
    unused = read.stringPropertyNames().stream().filter(OF_THE_RUN::contains).sorted().toList();
  }

  /**
   * Reads a file.
   *
   * @param file path of the file; empty for no settings
   * @return the settings of the file
   * @throws IllegalArgumentException if the file cannot be read; the message is one line that names it
   */
  public static ClientConfig read(String file) {
    Properties read = new Properties();
    if (!file.isEmpty()) {
      try (InputStream in = Files.newInputStream(Path.of(file))) {
        read.load(in);
      } catch (NoSuchFileException e) {
        throw new IllegalArgumentException(file + ": there is no such file", e);
      } catch (IOException e) {
        throw new IllegalArgumentException(file + " cannot be read: " + e.getMessage(), e);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(file + " has an escape \\u without four hexadecimal digits", e);
      }
    }
    return new ClientConfig(file, read);
  }

  /**
   * Returns the settings with which every client begins.
   *
   * @return by Kafka's names, without those that a run decides
   */
  public Map<String, String> settings() {
    return settings;
  }

  /**
   * Returns the names of the file's settings that no client gets, because a run decides them.
   *
   * @return sorted names
   */
  public List<String> unused() {
    return unused;
  }

  /**
   * Returns the security protocol.
   *
   * @return Kafka's {@code security.protocol}, with its default
   */
  public String securityProtocol() {
    return settings.getOrDefault(SECURITY_PROTOCOL, "PLAINTEXT");
  }

  /**
   * Returns true if connections are encrypted.
   *
   * @return true for SSL and SASL_SSL
   */
  public boolean isEncrypted() {
    return securityProtocol().endsWith("SSL");
  }

  @Override
  public String toString() {
    return file;
  }
}
