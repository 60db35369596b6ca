package dev.decant.lab.fix;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * Names of messages, fields and values from dictionaries in QuickFIX's format. Names of a later dictionary replace
 * those of an earlier one. A number without a name stays a number. One thread at a time.
 */
public final class FieldNames {
  private final Map<String, String> messages = new HashMap<>();
  private final Map<String, String> fields = new HashMap<>();
  private final Map<String, String> values = new HashMap<>();

  /** Starts without names. */
  public FieldNames() {}

  /**
   * Reads a dictionary.
   *
   * @param file in QuickFIX's XML format
   * @throws IOException if the file cannot be read; the message names it
   */
  public void read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      read(in);
    } catch (XMLStreamException e) {
      throw noDictionary(file, String.valueOf(e.getMessage()).replaceAll("\\s+", " "), e);
    }
    if (fields.isEmpty()) {
      throw noDictionary(file, "it defines no fields", null);
    }
  }

  private static IOException noDictionary(Path file, String reason, @Nullable Exception cause) {
    return new IOException(file + " is no dictionary: " + reason + "; give an XML file in QuickFIX's format, such as"
        + " FIX44.xml of quickfixj-messages-all", cause);
  }

  void read(InputStream in) throws XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    XMLStreamReader xml = factory.createXMLStreamReader(in);
    String tag = "";
    while (xml.hasNext()) {
      if (xml.next() != XMLStreamConstants.START_ELEMENT) {
        continue;
      }
      switch (xml.getLocalName()) {
        case "message" -> put(messages, attribute(xml, "msgtype"), attribute(xml, "name"));
        case "field" -> {
          tag = attribute(xml, "number");
          put(fields, tag, attribute(xml, "name"));
        }
        case "value" -> put(values, tag + '=' + attribute(xml, "enum"), attribute(xml, "description"));
        default -> {
          // groups and components have no number in a message
        }
      }
    }
  }

  private static String attribute(XMLStreamReader xml, String name) {
    String value = xml.getAttributeValue(null, name);
    return value == null ? "" : value;
  }

  private static void put(Map<String, String> names, String key, String name) {
    if (!key.isEmpty() && !name.isEmpty()) {
      names.putIfAbsent(key, name);
    }
  }

  /**
   * Returns the name of a message type.
   *
   * @param msgType MsgType(35)
   * @return for example {@code NewOrderSingle(D)}; the type alone if it has no name
   */
  public String message(String msgType) {
    String name = messages.get(msgType);
    return name == null ? msgType : name + '(' + msgType + ')';
  }

  /**
   * Returns the names of a field and its value.
   *
   * @param field field of a message
   * @return for example {@code Side(54)=1(BUY)}
   */
  public String field(LogLine.Field field) {
    String name = fields.get(field.tag());
    String value = values.get(field.tag() + '=' + field.value());
    return (name == null ? field.tag() : name + '(' + field.tag() + ')') + '=' + field.value()
        + (value == null ? "" : '(' + value + ')');
  }
}
