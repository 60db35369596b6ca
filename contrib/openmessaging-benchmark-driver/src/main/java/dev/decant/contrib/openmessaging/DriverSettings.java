package dev.decant.contrib.openmessaging;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/**
 * The driver's file. It has the names of the harness's own driver for Kafka, so that one set of settings serves both.
 * Jackson writes the fields.
 */
final class DriverSettings {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory())
      .configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false); // the harness has fields of its own there

  /** Replicas of each topic. */
  public short replicationFactor = 1;
  /** Settings of each topic, in the syntax of a properties file, as all of these. */
  public String topicConfig = "";
  /** Settings of the client and of the admin client, {@code bootstrap.servers} among them. */
  public String commonConfig = "";
  /** Settings of each producer. */
  public String producerConfig = "";
  /** Settings of each consumer. */
  public String consumerConfig = "";

  static DriverSettings read(File file) throws IOException {
    return YAML.readValue(file, DriverSettings.class);
  }

  static Map<String, String> parse(String text) throws IOException {
    Properties properties = new Properties();
    properties.load(new StringReader(text));
    Map<String, String> byName = new HashMap<>();
    properties.forEach((name, value) -> byName.put((String) name, (String) value));
    return byName;
  }
}
