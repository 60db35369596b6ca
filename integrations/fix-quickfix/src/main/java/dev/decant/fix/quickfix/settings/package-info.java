/** Settings files of QuickFIX/J, read without QuickFIX/J. */
@NullMarked
package dev.decant.fix.quickfix.settings;

import org.jspecify.annotations.NullMarked;
