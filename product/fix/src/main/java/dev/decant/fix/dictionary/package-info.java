/** Dictionaries in QuickFIX's XML format, and the validation of received messages by them. */
@NullMarked
package dev.decant.fix.dictionary;

import org.jspecify.annotations.NullMarked;
