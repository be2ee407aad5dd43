"""A request that has to sign in first: the whole page is led there, and back to a page afterwards.

`login_required` answers every request alike: with a redirect, and back to its own address. htmx would put the
form it is led to into the row it asked for, and an address that takes only POST is no page to come back to.
"""

from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, QueryDict
from django.utils.http import url_has_allowed_host_and_scheme


def led_there(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if not _leads_to_sign_in(response):
        return response
    if request.htmx:  # type: ignore[attr-defined]
        address = redirect_to_login(_page_of(request, "HX-Current-URL")).url
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    if request.method not in ("GET", "HEAD"):
        return redirect_to_login(_page_of(request, "Referer"))
    return response


def _leads_to_sign_in(response: HttpResponseBase) -> bool:
    """And back again: whoever signs out is led there too."""
    if not isinstance(response, HttpResponseRedirect):
        return False
    address = urlsplit(response.url)
    return address.path == settings.LOGIN_URL and REDIRECT_FIELD_NAME in QueryDict(address.query)


def _page_of(request: HttpRequest, header: str) -> str:
    """The page the browser was on, if it is one of ours."""
    address = request.headers.get(header, "")
    if not url_has_allowed_host_and_scheme(address, {request.get_host()}, request.is_secure()):
        return settings.LOGIN_REDIRECT_URL
    return urlunsplit(urlsplit(address)._replace(scheme="", netloc=""))
