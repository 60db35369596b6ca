/** What holds for all codecs alike, with their libraries, beside Apache's client. */
@NullMarked
package dev.decant.compression;

import org.jspecify.annotations.NullMarked;
