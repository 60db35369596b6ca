package dev.decant.fix.dictionary;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Parses a dictionary's file into elements. The file may be hostile. A document type declaration is refused, so XML's
 * own five entities are the only ones. Size, depth and number of elements are limited.
 */
final class DictionaryXml {
  /** Limit of a file. The largest dictionary of the specification has less than 3 MiB. */
  private static final int MAX_BYTES = 64 << 20;
  private static final int MAX_DEPTH = 64;
  private static final int MAX_ELEMENTS = 1_000_000;
  private static final int MOST_BEFORE_DECLARATION = 4_096;

  private final DictionaryProblems problems;
  private final String file;
  /** Number of lines that were skipped before the XML declaration. */
  private final int skippedLines;
  private final Deque<XmlElement> open = new ArrayDeque<>();
  private int elements;

  private DictionaryXml(DictionaryProblems problems, int skippedLines) {
    this.problems = problems;
    this.file = problems.file();
    this.skippedLines = skippedLines;
  }

  /**
   * Parses a file.
   *
   * @param in is not closed
   * @param problems has the name of the file, and takes mistakes that can be accepted
   * @return the root element
   * @throws DictionaryException if the file is not valid, or exceeds a limit
   */
  static XmlElement read(InputStream in, DictionaryProblems problems) {
    String file = problems.file();
    PushbackInputStream source = new PushbackInputStream(new Limited(in), MOST_BEFORE_DECLARATION);
    int skippedLines = skipToDeclaration(source, file);
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
    try {
      XMLStreamReader reader = factory.createXMLStreamReader(source);
      try {
        return new DictionaryXml(problems, Math.max(0, skippedLines)).readRoot(reader, skippedLines >= 0);
      } finally {
        reader.close();
      }
    } catch (XMLStreamException e) {
      int line = (e.getLocation() == null ? 0 : e.getLocation().getLineNumber()) + Math.max(0, skippedLines);
      throw new DictionaryException(file + ", line " + line + ": the file is no well-formed XML (" + oneLine(e)
          + "); correct it", e);
    }
  }

  /**
   * Skips blanks and comments before the XML declaration, which must be first. Returns how many lines these have;
   * negative if there are none.
   */
  private static int skipToDeclaration(PushbackInputStream in, String file) {
    try {
      byte[] start = in.readNBytes(MOST_BEFORE_DECLARATION);
      String text = new String(start, StandardCharsets.ISO_8859_1);
      int at = behindBlanksAndComments(text);
      boolean skips = at > 0 && text.startsWith("<?xml", at);
      in.unread(start, skips ? at : 0, start.length - (skips ? at : 0));
      return skips ? (int) text.substring(0, at).chars().filter(c -> c == '\n').count() : -1;
    } catch (IOException e) {
      throw new DictionaryException(file + ", line 1: the file cannot be read (" + e.getMessage() + ")", e);
    }
  }

  private static int behindBlanksAndComments(String text) {
    int at = 0;
    while (at < text.length()) {
      int end = text.startsWith("<!--", at) ? text.indexOf("-->", at) : -1;
      if (end > 0) {
        at = end + 3;
      } else if (Character.isWhitespace(text.charAt(at))) {
        at++;
      } else {
        break;
      }
    }
    return at;
  }

  private static String oneLine(XMLStreamException e) {
    String message = String.valueOf(e.getMessage());
    int detail = message.indexOf("Message: ");
    return (detail < 0 ? message : message.substring(detail + "Message: ".length())).replaceAll("\\s+", " ").strip();
  }

  private XmlElement readRoot(XMLStreamReader reader, boolean skipsOthers) throws XMLStreamException {
    XmlElement root = null;
    while (reader.hasNext()) {
      int event = reader.next();
      if (event == XMLStreamConstants.START_ELEMENT) {
        XmlElement element = start(reader);
        if (root == null) {
          root = element;
          if (skipsOthers) {
            problems.letPass(root, "blanks or a comment stand before the XML declaration; move them behind it",
                "they are passed over");
          }
        }
      } else if (event == XMLStreamConstants.END_ELEMENT) {
        open.pop();
      } else if (event == XMLStreamConstants.DTD) {
        throw problem(reader, "the file has a document type declaration; remove it");
      } else if (event == XMLStreamConstants.ENTITY_REFERENCE) {
        throw problem(reader, "the file has an entity reference; write the text itself");
      }
    }
    if (root == null) {
      throw problem(reader, "the file has no element; a dictionary begins with <fix>");
    }
    return root;
  }

  private XmlElement start(XMLStreamReader reader) {
    Map<String, String> attributes = new HashMap<>();
    for (int i = 0; i < reader.getAttributeCount(); i++) {
      attributes.put(reader.getAttributeLocalName(i), reader.getAttributeValue(i));
    }
    List<XmlElement> children = new ArrayList<>();
    int line = lineOf(reader);
    XmlElement element = new XmlElement(file, line, reader.getLocalName(), Map.copyOf(attributes), children);
    if (open.size() == MAX_DEPTH) {
      throw element.error("elements are nested deeper than " + MAX_DEPTH + "; use components");
    }
    if (++elements > MAX_ELEMENTS) {
      throw element.error("the file has more than " + MAX_ELEMENTS + " elements; split it");
    }
    XmlElement parent = open.peek();
    if (parent != null) {
      parent.children().add(element);
    }
    open.push(element);
    return element;
  }

  private int lineOf(XMLStreamReader reader) {
    return reader.getLocation().getLineNumber() + skippedLines;
  }

  private DictionaryException problem(XMLStreamReader reader, String problemAndRemedy) {
    return new DictionaryException(file + ", line " + lineOf(reader) + ": " + problemAndRemedy);
  }

  /** Limits a stream that may not end by itself. */
  private static final class Limited extends FilterInputStream {
    private int left = MAX_BYTES;

    Limited(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int value = super.read();
      count(value < 0 ? 0 : 1);
      return value;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = super.read(target, offset, length);
      count(Math.max(count, 0));
      return count;
    }

    private void count(int bytes) throws IOException {
      left -= bytes;
      if (left < 0) {
        throw new IOException("the file is larger than " + (MAX_BYTES >> 20) + " MiB");
      }
    }

    @Override
    public void close() {
      // The stream belongs to the code that opened it.
    }
  }
}
