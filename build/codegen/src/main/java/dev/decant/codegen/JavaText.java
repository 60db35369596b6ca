package dev.decant.codegen;

/** Java source text under construction, indented by its blocks. */
final class JavaText {
  private static final int LINE = 118;

  private final StringBuilder text = new StringBuilder();
  private int depth;

  /** Adds a line; a trailing brace opens a block, a leading one closes it. */
  JavaText line(String line) {
    if (line.startsWith("}")) {
      depth--;
    }
    if (!line.isEmpty()) {
      text.append("  ".repeat(depth)).append(line);
    }
    text.append('\n');
    if (line.endsWith("{")) {
      depth++;
    }
    return this;
  }

  /** Adds lines at the present depth. */
  JavaText lines(String... lines) {
    for (String line : lines) {
      line(line);
    }
    return this;
  }

  JavaText blank() {
    text.append('\n');
    return this;
  }

  /** Adds a documentation comment from plain words. */
  JavaText doc(String words) {
    return docHtml(escape(words));
  }

  /** Adds a documentation comment from words that are HTML and tags already. */
  JavaText docHtml(String html) {
    String one = "/** " + html + " */";
    if (one.length() + 2 * depth <= LINE) {
      return line(one);
    }
    line("/**");
    StringBuilder current = new StringBuilder(" *");
    for (String word : html.split(" ", -1)) {
      if (current.length() + word.length() + 1 + 2 * depth > LINE) {
        line(current.toString());
        current = new StringBuilder(" *");
      }
      current.append(' ').append(word);
    }
    line(current.toString());
    return line(" */");
  }

  static String escape(String words) {
    return words.strip().replaceAll("\\s+", " ").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        .replace("@", "&#64;").replace("*/", "*&#47;").replace("{", "&#123;");
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
